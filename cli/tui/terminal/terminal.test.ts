import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../../testing/bundle.ts'
import { type Pty, type PtyOptions, startPty } from '../../testing/pty.ts'

let fixture: string
let pty: Pty
beforeAll(async () => {
  fixture = await bundle(new URL('../testing/tui.fixture.ts', import.meta.url))
})
afterEach(() => pty.close())

/** Below a shell that tells the terminal's modes before and after, and how the program ended. */
function start(scenario: string, options?: PtyOptions): Pty {
  const modes = 'stty -a | tr ";" "\\n" | grep -v -e rows -e columns | cksum'
  // It stays at the end: what a shell prints just before it leaves can be lost with its terminal.
  const script = `echo "what was here"; echo "before $(${modes})"; "$0" "$@"; echo "ended $?"; echo "after $(${modes})"; read -r _`
  pty = startPty('/bin/sh', ['-c', script, process.execPath, fixture, scenario], options)
  return pty
}

const restored = { hasOldText: true, leftovers: 0, modes: 'as before', screen: 'normal', cursor: 'shown', paste: 'off' }

async function ending() {
  await pty.shows('after ')
  const text = await pty.scrollback()
  const told = (word: string) => new RegExp(`${word} (.+)`).exec(text)?.[1]
  const isLast = (one: string, other: string) => pty.raw().lastIndexOf(one) > pty.raw().lastIndexOf(other)
  return {
    code: Number(told('ended')),
    hasOldText: text.includes('what was here'),
    leftovers: text.split('localhost:4100').length - 1,
    modes: told('before') === told('after') ? 'as before' : 'changed',
    screen: await pty.buffer(),
    cursor: isLast('\u001b[?25h', '\u001b[?25l') ? 'shown' : 'hidden',
    paste: isLast('\u001b[?2004l', '\u001b[?2004h') ? 'off' : 'on',
  }
}

describe('the terminal is as before', () => {
  test('after q', async () => {
    start('signed-in')
    await pty.shows('Ada Lovelace')
    expect(await pty.buffer()).toBe('alternate')
    pty.type('q')
    expect(await ending()).toEqual({ code: 0, ...restored })
  })

  test('after q in the middle of painting', async () => {
    start('many')
    await pty.shows('Ada Lovelace')
    pty.type('3jjjjjjGq')
    expect(await ending()).toEqual({ code: 0, ...restored })
  })

  test('after Ctrl+C, with 130, also from inside a form', async () => {
    start('empty')
    await pty.shows('Nobody is signed in')
    pty.type('\r')
    await pty.shows('Password')
    pty.type('abc\u0003')
    expect(await ending()).toEqual({ code: 130, ...restored })
  })

  test.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)('after %s, which ends it as its sender expects', async (signal, code) => {
    start('signed-in')
    await pty.shows('Ada Lovelace')
    const [pid = 0] = pty.children()
    process.kill(pid, signal)
    expect(await ending()).toEqual({ code: code, ...restored })
  })

  test.each([
    ['uncaught', 1],
    ['rejection', 1],
    ['exit', 7],
  ] as const)('after a failure of kind %s', async (scenario, code) => {
    start(scenario)
    await pty.shows('Ada Lovelace')
    const [pid = 0] = pty.children()
    process.kill(pid, 'SIGUSR2')
    expect(await ending()).toEqual({ code: code, ...restored })
  })

  test('after a screen that cannot be painted', async () => {
    start('broken')
    expect(await ending()).toEqual({ code: 1, ...restored })
  })
})

test('a window that is closed ends it', async () => {
  pty = startPty(process.execPath, [fixture, 'signed-in'])
  await pty.shows('Ada Lovelace')
  pty.hangUp()
  expect(await pty.exit).toMatchObject({ signal: 1 })
})

describe('a resize', () => {
  test('paints the whole screen anew, without leftovers, and leaves what was scrolled out alone', async () => {
    start('many', { columns: 120, rows: 40 })
    await pty.shows('Ada Lovelace')
    pty.type('3')
    await pty.shows('Browser number 29')
    for (const [columns, rows] of [
      [70, 20],
      [45, 12],
      [100, 30],
      [100, 14],
      [61, 50],
      [60, 15],
    ] as const) {
      pty.resize(columns, rows)
      await expect.poll(() => shape(pty)).toEqual({ headers: 1, footers: 1, lines: rows })
    }
    expect(pty.raw()).not.toContain('\u001b[3J')
    pty.type('q')
    expect(await ending()).toEqual({ code: 0, ...restored })
  })

  test('below the smallest size says so, and comes back', async () => {
    start('signed-in')
    await pty.shows('Ada Lovelace')
    pty.resize(39, 9)
    expect(await pty.shows('Too small: 39×9')).not.toContain('Ada')
    pty.resize(80, 24)
    await pty.shows('Ada Lovelace')
    await pty.hides('Too small')
  })
})

async function shape(terminal: Pty) {
  const lines = (await terminal.screen()).split('\n')
  const count = (text: string) => lines.filter((line) => line.includes(text)).length
  return { headers: count('postern  ·'), footers: count('? help'), lines: lines.length }
}

test('hostile names act on nothing: no title, no clipboard, no cleared screen', async () => {
  start('hostile', { columns: 160 })
  await pty.shows('owned\\u0007')
  const quiet = pty.raw().length
  pty.type('3')
  await pty.shows('Fire\\nfox')
  expect(await pty.screen()).toContain('日本語 👩‍👩‍👧')
  pty.type('4')
  await pty.shows('Member since')
  pty.type('e')
  await pty.shows('Image URL')
  const bytes = pty.raw().slice(quiet)
  // Only what paints: colours, line and cursor movement, synchronized output.
  const acting = bytes
    .split('\u001b')
    .slice(1)
    .filter((part) => !/^\[(?:[\d;]*[mGAKJ]|\?2026[hl])/.test(part))
  expect(acting).toEqual([])
  expect(bytes.replaceAll('\u001b', '')).not.toMatch(/[^\P{Cc}\r\n]/u)
  expect(bytes).not.toContain('\u001b[2J')
})

test('the clipboard gets text of our own only', async () => {
  start('hostile', { columns: 160 })
  await pty.shows('owned\\u0007')
  pty.type('3')
  await pty.shows('Fire\\nfox')
  pty.type('C')
  await pty.shows('Copied the command')
  const [, payload = ''] = /^([A-Za-z0-9+/=]+)\P{L}/u.exec(pty.raw().split('\u001b]52;c;')[1] ?? '') ?? []
  expect(Buffer.from(payload, 'base64').toString()).toBe('postern session view s1')
})

test('a paste into a field is one line, on a list it is nothing', async () => {
  start('empty')
  await pty.shows('Nobody is signed in')
  pty.type('\u001b[200~q\rq\r\u001b[201~')
  pty.type('\r')
  await pty.shows('Password')
  pty.type('\u001b[200~ada@\nexample.com\n\u001b[201~')
  await pty.shows('ada@ example.com')
  expect(await pty.buffer()).toBe('alternate')
})

test('fast typing loses nothing', async () => {
  start('empty')
  await pty.shows('Nobody is signed in')
  pty.type('\r')
  await pty.shows('Password')
  const text = `${'abcdefghij'.repeat(5)}@example.com`
  pty.type(text)
  expect(await pty.shows('@example.com')).toContain(text)
})

test('CI in the environment does not hide the screen', async () => {
  start('signed-in', { env: { CI: 'true', CONTINUOUS_INTEGRATION: '1', DEV: 'true' } })
  expect(await pty.shows('Ada Lovelace')).toContain('online')
})
