import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { promptForm } from './prompt-form.tsx'

afterEach(() => vi.useRealTimers())

/** Asks a question in a terminal of that many columns. */
function ask(columns: number, label: string) {
  const modes: boolean[] = []
  const setRawMode = (isRaw: boolean) => modes.push(isRaw)
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode, ref: () => {}, unref: () => {} })
  const [raw, frames]: [string[], string[]] = [[], []]
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns, rows: 24 })
  stderr.on('data', (chunk: Buffer) => {
    raw.push(String(chunk))
    frames.push(stripVTControlCharacters(String(chunk)))
  })
  const asked = promptForm([{ flag: 'link', label }], {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    signal: new AbortController().signal,
  })
  return { stdin, raw, frames, modes, asked }
}

/** What a terminal of that many columns shows last, where somebody types this. */
async function shownFor(columns: number, label: string, typed: string): Promise<string> {
  const { stdin, frames, asked } = ask(columns, label)
  stdin.write(typed)
  await expect.poll(() => frames.join('')).toContain(typed.slice(-10))
  stdin.write('\r')
  expect(await asked).toEqual([typed])
  return frames.findLast((frame) => frame.trim() !== '') ?? ''
}

test('a label stays whole beside an answer that is longer than the line', async () => {
  const link = `http://localhost:4100/api/auth/reset-password/${'x'.repeat(60)}?callbackURL=%2Fdone`
  const shown = await shownFor(80, 'Link or token', link)
  expect(shown.split('\n')[0]).toMatch(/^Link or token http:/)
})

test('a label is only text', async () => {
  expect(await shownFor(80, 'Te\u202eam\u001b[2J', 'an answer')).toMatch(/^Te\\u\{202e\}am\\u001b\[2J an answer/)
})

/** Types these, each in a read of its own; the time that a program waits for the rest of a key does not pass. */
async function readOneByOne(...reads: readonly string[]) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { stdin, asked } = ask(80, 'Name')
  for (const typed of reads) {
    stdin.write(typed)
    await expect.poll(() => stdin.readableLength).toBe(0)
  }
  return { asked }
}

test('a key whose bytes arrive in two reads is one key', async () => {
  const { asked } = await readOneByOne('bc', '\u001b', '[D', '\u001b[', 'D', 'a', '\r')
  expect(await asked).toEqual(['abc'])
})

test('function keys of the Linux console type nothing', async () => {
  const { asked } = await readOneByOne('ab', '\u001b[[A', '\u001b[', '[B', 'c', '\r')
  expect(await asked).toEqual(['abc'])
})

test('an escape that nothing follows cancels', async () => {
  const { asked } = await readOneByOne('bc', '\u001b')
  vi.advanceTimersByTime(30)
  expect(await asked).toBeNull()
})

// The shell that had the terminal meanwhile makes it show what is typed, and Node skips a mode that it believes is set.
test('what is typed stays hidden after a stop by another program', async () => {
  const { stdin, modes, asked } = ask(80, 'Password')
  const before = modes.length
  process.emit('SIGCONT')
  expect(modes.slice(before)).toEqual([false, true])
  stdin.write('an answer\r')
  await asked
  const after = modes.length
  process.emit('SIGCONT')
  expect([modes.at(-1), modes.length]).toEqual([false, after])
})

// In raw mode the terminal sends Ctrl+Z as a key, so nothing else would stop the program.
test('Ctrl+Z stops the program, for which the shell gets its terminal and cursor back, and the question comes back', async () => {
  const { stdin, frames, raw, modes, asked } = ask(80, 'Password')
  const seen: unknown[] = []
  const kill = vi.spyOn(process, 'kill').mockImplementation((id, signal) => {
    seen.push(id, signal, modes.at(-1), raw.at(-1))
    return true
  })
  stdin.write('corr\u001a')
  await expect.poll(() => seen).toEqual([0, 'SIGTSTP', false, '\u001b[?25h'])
  kill.mockRestore()
  expect(modes.at(-1)).toBe(true)
  const before = frames.length
  process.emit('SIGCONT')
  await expect.poll(() => frames.slice(before).join('')).toContain('Password corr')
  stdin.write('ect\r')
  expect(await asked).toEqual(['correct'])
})
