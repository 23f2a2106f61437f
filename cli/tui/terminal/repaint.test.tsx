import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { hideFromInk } from '../../process/own-host.ts'
import { openTerminal } from './terminal.ts'

/** A terminal that keeps what is written to it. */
function fakeTerminal() {
  const calls = { setRawMode: () => {}, resume: () => {}, pause: () => {} }
  const stdin = Object.assign(new EventEmitter(), calls) as unknown as NodeJS.ReadStream
  let written = ''
  const write = (text: string) => {
    written += text
    return true
  }
  const stdout = Object.assign(new EventEmitter(), { columns: 80, rows: 24, write }) as unknown as NodeJS.WriteStream
  return { stdin, stdout, written: () => written }
}

test('what the terminal has lost is painted again although nothing of it changed, each time', async () => {
  hideFromInk()
  const { render, Box, Text } = await import('ink')
  const { stdin, stdout, written } = fakeTerminal()
  const tree = (
    <Box width={10}>
      <Text>as before</Text>
    </Box>
  )
  const terminal = openTerminal(
    { stdin, stdout, environment: { hasMouse: false } },
    () => {},
    () => app.rerender(tree),
  )
  const canvas = terminal.canvas as unknown as NodeJS.WriteStream
  const app = render(tree, { stdout: canvas, exitOnCtrlC: false, patchConsole: false })
  for (let time = 1; time <= 3; time += 1) {
    stdout.emit('resize')
    expect(written().split('\u001b[2J\u001b[H').at(-1)).toContain('as before')
  }
  terminal.close()
  app.unmount()
})
