import { EventEmitter } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import { render } from 'ink'
import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { Keyboard } from '../terminal/keyboard.ts'
import { TextField } from './field.tsx'

const limit = 16_384
const notice = 'Cut at 16,384 characters'
const start = '\u0001'
const backspace = '\u007f'
const paste = (text: string) => `\u001b[200~${text}\u001b[201~`

const opened: (() => void)[] = []
afterEach(() => {
  for (const close of opened.splice(0)) close()
})

/** A field with a text and what was typed into it. */
const typedInto = async (initial: string, ...keys: readonly string[]) => (await typing(initial, keys)).now

/** The same, as it is shown in 20 columns. */
const shownAfter = async (initial: string, ...keys: readonly string[]) =>
  stripVTControlCharacters((await typing(initial, keys, 20)).frame).trim()

async function typing(initial: string, keys: readonly string[], width = 60) {
  const ignore = () => {}
  const stdin = Object.assign(new EventEmitter(), { setRawMode: ignore, resume: ignore, pause: ignore })
  const keyboard = new Keyboard(stdin as unknown as NodeJS.ReadStream, ignore)
  let now: { readonly text: string; readonly problem: string | undefined } = { text: initial, problem: undefined }
  function Typed() {
    const [{ text, problem }, set] = useState(now)
    const onChange = (next: string, said?: string) => set((now = { text: next, problem: said }))
    return <TextField label="" labelWidth={0} value={text} isActive {...{ width, problem, onChange }} />
  }
  keyboard.start()
  let frame = ''
  const stdout = Object.assign(new EventEmitter(), { columns: width, write: (text: string) => (frame = text) })
  const app = render(<Typed />, {
    stdin: keyboard as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    debug: true,
    patchConsole: false,
  })
  opened.push(() => app.unmount())
  for (const key of keys) stdin.emit('data', key)
  await expect.poll(() => keyboard.isIdle).toBe(true)
  return { now, frame }
}

test('a text that is cut has a sign where it goes on', async () => {
  const text = 'one-two-three-four-five'
  expect(await shownAfter(text)).toBe('…hree-four-five')
  expect(await shownAfter(text, start)).toBe('one-two-three-f…')
  expect(await shownAfter(text, '\u001b[D', '\u001b[D', '\u001b[D')).toMatch(/^…[a-z-]+…$/)
  expect(await shownAfter('one-two-three')).toBe('one-two-three')
})

test('the end of a text that fills a field is a whole character', async () => {
  const letters = 'a'.repeat(limit - 1)
  for (const typed of ['👍', 'e\u0301', '👩‍👩‍👧'])
    expect(await typedInto('', paste(letters + typed))).toEqual({ text: letters, problem: notice })
  expect(await typedInto('', paste(`${letters.slice(1)}👍`))).toEqual({
    text: `${letters.slice(1)}👍`,
    problem: undefined,
  })
})

test('a full field keeps what stands in it', async () => {
  const text = `${'a'.repeat(limit - 3)}end`
  expect(await typedInto(text, start, 'x')).toEqual({ text, problem: notice })
  expect(await typedInto(text, start, paste('xyz'))).toEqual({ text, problem: notice })
  expect(await typedInto(text.slice(2), start, paste('xyz'))).toEqual({ text: `xy${text.slice(2)}`, problem: notice })
})

test('what a field drops of a pasted text takes up no room', async () => {
  const letters = 'a'.repeat(limit)
  expect(await typedInto('', paste(`\u0007\u202e${letters}`))).toEqual({ text: letters, problem: undefined })
})

test('a field that was full says nothing more when there is room again', async () => {
  const text = 'a'.repeat(limit)
  expect(await typedInto(text, 'b', backspace)).toEqual({ text: text.slice(1), problem: undefined })
  expect(await typedInto(text, 'b', backspace, 'c')).toEqual({ text: `${text.slice(1)}c`, problem: undefined })
})
