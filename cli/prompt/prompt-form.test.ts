import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { promptForm } from './prompt-form.tsx'

/** A terminal of that many columns, where somebody types this; what it shows last. */
async function shownFor(columns: number, label: string, typed: string): Promise<string> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {}, ref: () => {}, unref: () => {} })
  const frames: string[] = []
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns, rows: 24 })
  stderr.on('data', (chunk: Buffer) => frames.push(stripVTControlCharacters(String(chunk))))
  const asked = promptForm([{ flag: 'link', label }], {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    signal: new AbortController().signal,
  })
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
