import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { LineTerminal } from './line-terminal.ts'

test.each([
  ['erases the line', 'wrong\u0015right', 'right'],
  ['erases a word', 'battery wrong\u0017staple', 'battery staple'],
  ['erases a character', 'staplex\u007f', 'staple'],
  ['moves', 'taple\u001b[Hs\u0005!', 'staple!'],
  ['moves by words', 'a staple\u001bbx', 'a xstaple'],
  ['does nothing else', 'sta\tple\u0010\u001b[A\u001b[27u', 'staple'],
])('what is typed unseen is no key: one %s', async (_, typed, said) => {
  const ignore = () => undefined
  const stdin = Object.assign(new EventEmitter(), { setRawMode: ignore, resume: ignore, pause: ignore })
  const stdout = { write: ignore }
  const terminal = new LineTerminal({ stdin, stdout } as unknown as ConstructorParameters<typeof LineTerminal>[0])
  const asked = terminal.askSecret('Password:')
  stdin.emit('data', `${typed}\r`)
  expect(await asked).toBe(said)
  terminal.close()
})
