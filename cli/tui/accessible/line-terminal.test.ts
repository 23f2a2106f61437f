import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { LineTerminal } from './line-terminal.ts'

/** A terminal in lines, and what is written to it. */
function lineTerminal() {
  const ignore = () => undefined
  const written: string[] = []
  const modes: boolean[] = []
  const setRawMode = (isRaw: boolean) => {
    modes.push(isRaw)
    Object.assign(stdin, { isRaw })
  }
  const stdin = Object.assign(new EventEmitter(), { setRawMode, resume: ignore, pause: ignore })
  const stdout = { write: (text: string) => written.push(text) }
  const terminal = new LineTerminal({ stdin, stdout } as unknown as ConstructorParameters<typeof LineTerminal>[0])
  return { stdin, terminal, written, modes }
}

test.each([
  ['erases the line', 'wrong\u0015right', 'right'],
  ['erases a word', 'battery wrong\u0017staple', 'battery staple'],
  ['erases a character', 'staplex\u007f', 'staple'],
  ['moves', 'taple\u001b[Hs\u0005!', 'staple!'],
  ['moves by words', 'a staple\u001bbx', 'a xstaple'],
  ['does nothing else', 'sta\tple\u0010\u001b[A\u001b[27u', 'staple'],
])('what is typed unseen is no key: one %s', async (_, typed, said) => {
  const { stdin, terminal } = lineTerminal()
  const asked = terminal.askSecret('Password:')
  stdin.emit('data', `${typed}\r`)
  expect(await asked).toBe(said)
  terminal.close()
})

test('the question is asked again after Ctrl+Z and fg, while it waits for an answer', async () => {
  const { stdin, terminal, written } = lineTerminal()
  const asked = terminal.ask('Number:')
  process.emit('SIGCONT')
  expect(written).toEqual(['Number: ', 'Number: '])
  stdin.emit('data', '3\n')
  expect(await asked).toBe('3')
  process.emit('SIGCONT')
  terminal.close()
  process.emit('SIGCONT')
  expect(written.filter((text) => text !== '')).toHaveLength(2)
})

// The shell that had the terminal meanwhile makes it show what is typed, and Node skips a mode that it believes is set.
test('a password stays hidden after a stop by another program, and its question is asked again', async () => {
  const { stdin, terminal, written, modes } = lineTerminal()
  const asked = terminal.askSecret('Password:')
  process.emit('SIGCONT')
  expect(modes).toEqual([true, false, true])
  expect(written).toEqual(Array.from({ length: 2 }, () => 'Password: (not shown while you type) '))
  stdin.emit('data', 'correct horse\r')
  expect(await asked).toBe('correct horse')
  process.emit('SIGCONT')
  expect(modes).toEqual([true, false, true, false])
  terminal.close()
})

// In raw mode the terminal sends Ctrl+Z as a key, so nothing else would stop the program.
test('Ctrl+Z stops the program at a hidden question too, and what was typed before still counts', async () => {
  const { stdin, terminal, written, modes } = lineTerminal()
  const asked = terminal.askSecret('Password:')
  const stops: unknown[] = []
  const kill = vi.spyOn(process, 'kill').mockImplementation((id, signal) => {
    stops.push(id, signal, modes.at(-1))
    return true
  })
  stdin.emit('data', 'correct\u001a')
  kill.mockRestore()
  expect([stops, modes.at(-1), written.at(-1)]).toEqual([[0, 'SIGTSTP', false], true, '\n'])
  stdin.emit('data', ' horse\r')
  expect(await asked).toBe('correct horse')
  terminal.close()
})

test('a key that the terminal itself does not edit with is no text: the answer is asked for again', async () => {
  const { stdin, terminal, written } = lineTerminal()
  const asked = terminal.ask('Name:')
  stdin.emit('data', 'Adda\u001b[D\n')
  const again = expect.stringMatching(/only backspace can. Type it again.\n/)
  await expect.poll(() => written).toEqual(['Name: ', again, 'Name: '])
  stdin.emit('data', 'Ada\tLovelace\n')
  expect(await asked).toBe('Ada Lovelace')
  terminal.close()
})
