import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../../testing/bundle.ts'
import { type Pty, type PtyOptions, startPty } from '../../testing/pty.ts'
import type { Runner } from '../../testing/run-cli.ts'
import { sessionsOf } from '../testing/kept.ts'
import { signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'
import { clipboardSequence } from './terminal.ts'

const screens = useScreens()
let fixture: string
let pty: Pty
beforeAll(async () => {
  fixture = await bundle(new URL('../testing/tui.fixture.ts', import.meta.url))
})
afterEach(() => pty.close())

/** Runs below a shell that prints the terminal's modes before and after, and the exit code. */
function start(
  { env }: Runner,
  { failure = 'none', ...options }: PtyOptions & { readonly failure?: string } = {},
): Pty {
  const modes = 'stty -a | tr ";" "\\n" | grep -v -e rows -e columns | cksum'
  // The shell stays alive at the end, since output just before it exits can be lost with its terminal.
  const script = `echo "what was here"; echo "before $(${modes})"; "$0" "$@"; echo "ended $?"; echo "after $(${modes})"; echo "all told"; read -r _`
  pty = startPty('/bin/sh', ['-c', script, process.execPath, fixture, failure], {
    ...options,
    env: { ...env, ...options.env },
  })
  return pty
}

/** The program's process. Without one, the signal would reach all processes of the test. */
function programBelow(): number {
  const [pid] = pty.children()
  if (!pid) throw new Error('No program runs in the terminal')
  return pid
}

const restored = {
  hasOldText: true,
  leftovers: 0,
  modes: 'as before',
  screen: 'normal',
  cursor: 'shown',
  paste: 'off',
  focus: 'untold',
  mouse: 'off',
}

async function ending() {
  await pty.shows('all told')
  const text = await pty.scrollback()
  const told = (word: string) => new RegExp(`${word} (.+)`).exec(text)?.[1]
  const isLast = (one: string, other: string) => pty.raw().lastIndexOf(one) > pty.raw().lastIndexOf(other)
  return {
    code: Number(told('ended')),
    hasOldText: text.includes('what was here'),
    leftovers: text.split(new URL(screens.own.url).host).length - 1,
    modes: told('before') === told('after') ? 'as before' : 'changed',
    screen: await pty.buffer(),
    cursor: isLast('\u001b[?25h', '\u001b[?25l') ? 'shown' : 'hidden',
    paste: isLast('\u001b[?2004l', '\u001b[?2004h') ? 'off' : 'on',
    focus: isLast('\u001b[?1004l', '\u001b[?1004h') ? 'untold' : 'told',
    mouse: ['1002', '1006'].every((mode) => isLast(`\u001b[?${mode}l`, `\u001b[?${mode}h`)) ? 'off' : 'on',
  }
}

describe('the terminal is as before', () => {
  test('after q', async () => {
    start(await signedIn(screens.own))
    await pty.shows('Ada Lovelace')
    expect(await pty.buffer()).toBe('alternate')
    pty.type('q')
    expect(await ending()).toEqual({ code: 0, ...restored })
  })

  test('after q in the middle of painting', async () => {
    start(await signedIn(screens.own, 40, 'Browser number'))
    await pty.shows('Ada Lovelace')
    pty.type('3jjjjjjGq')
    expect(await ending()).toEqual({ code: 0, ...restored })
  })

  test('after Ctrl+C, with 130, also from inside a form', async () => {
    start(screens.own.machine())
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
    start(await signedIn(screens.own))
    await pty.shows('Ada Lovelace')
    process.kill(programBelow(), signal)
    expect(await ending()).toEqual({ code: code, ...restored })
  })

  test.each([
    ['uncaught', 1],
    ['rejection', 1],
    ['exit', 7],
  ] as const)('after a failure of kind %s', async (failure, code) => {
    start(await signedIn(screens.own), { failure })
    await pty.shows('Ada Lovelace')
    process.kill(programBelow(), 'SIGUSR2')
    expect(await ending()).toEqual({ code: code, ...restored })
  })

  test('after a screen that cannot be painted', async () => {
    start(screens.own.machine(), { failure: 'broken' })
    expect(await ending()).toEqual({ code: 1, ...restored })
  })
})

test('a window that is closed ends it', async () => {
  const { env } = await signedIn(screens.own)
  pty = startPty(process.execPath, [fixture], { env })
  await pty.shows('Ada Lovelace')
  pty.hangUp()
  expect(await pty.exit).toMatchObject({ signal: 1 })
})

describe('a resize', () => {
  test('paints the whole screen anew, without leftovers, and leaves what was scrolled out alone', async () => {
    start(await signedIn(screens.own, 40, 'Browser number'), { columns: 120, rows: 40 })
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
    start(await signedIn(screens.own))
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

/**
 * Ada's machine. Hostile names for her and her browser are written to the database directly, since another service
 * might send them.
 */
async function hostile(): Promise<Runner> {
  const machine = await signedIn(screens.own, 1)
  const { sql } = screens.service.deps
  const name = '\u001b[2J\u001b]0;owned\u0007\u001b]52;c;ZWNobw==\u0007Ada\rEve\u202ecod'
  const browser = '\u001b]8;;https://evil.example\u001b\\Fire\nfox\u009b2J 日本語 👩‍👩‍👧'
  await sql`update users set name = ${name}`
  await sql`update sessions set user_agent = ${browser} where user_agent = 'Firefox 1'`
  return machine
}

test('hostile names act on nothing: no title, no clipboard, no cleared screen', async () => {
  // Too narrow for the split pane, wide enough for whole names.
  start(await hostile(), { columns: 119 })
  await pty.shows('owned\\u0007')
  const quiet = pty.raw().length
  pty.type('3')
  await pty.shows('Fire\\nfox')
  await pty.shows('日本語 👩‍👩‍👧')
  pty.type('4')
  await pty.shows('Member since')
  pty.type('e')
  await pty.shows('Image URL')
  const bytes = pty.raw().slice(quiet)
  // Only sequences that paint are allowed: colours, line and cursor movement, synchronized output.
  const acting = bytes
    .split('\u001b')
    .slice(1)
    .filter((part) => !/^\[(?:[\d;]*[mGAKJ]|\?2026[hl])/.test(part))
  expect(acting).toEqual([])
  expect(bytes.replaceAll('\u001b', '')).not.toMatch(/[^\P{Cc}\r\n]/u)
  expect(bytes).not.toContain('\u001b[2J')
})

test('the clipboard gets text of our own only', async () => {
  start(await hostile(), { columns: 160 })
  await pty.shows('owned\\u0007')
  pty.type('3')
  await pty.shows('Fire\\nfox')
  pty.type('C')
  await pty.shows('Copied the command')
  const [own] = await sessionsOf(screens.own)
  const copied = (sequence = '') => {
    const [, payload = ''] = /^([A-Za-z0-9+/=]+)\P{L}/u.exec(sequence.split('\u001b]52;c;')[1] ?? '') ?? []
    return Buffer.from(payload, 'base64').toString()
  }
  expect(copied(pty.raw())).toBe(`postern session view ${own?.id}`)
  expect(copied(clipboardSequence('rm\n\u001b[201~\u202e'))).toBe('rm\\n\\u001b[201~\\u{202e}')
})

test('a paste into a field is one line, on a list it is nothing', async () => {
  start(screens.own.machine())
  await pty.shows('Nobody is signed in')
  pty.type('\u001b[200~q\rq\r\u001b[201~')
  pty.type('\r')
  await pty.shows('Password')
  pty.type('\u001b[200~ada@\nexample.com\n\u001b[201~')
  await pty.shows('ada@ example.com')
  expect(await pty.buffer()).toBe('alternate')
})

test('what is typed before the screens are there waits for them', async () => {
  start(await signedIn(screens.own))
  pty.type('4')
  expect(await pty.shows('Member since')).toContain('4 Profile')
})

test('fast typing loses nothing', async () => {
  start(screens.own.machine())
  await pty.shows('Nobody is signed in')
  pty.type('\r')
  await pty.shows('Password')
  const text = `${'abcdefghij'.repeat(5)}@example.com`
  pty.type(text)
  expect(await pty.shows('hij@example.com')).toContain(text)
})

/** Runs as a job of a shell, on the screen of the sessions. */
async function startJob(): Promise<void> {
  const { env } = await signedIn(screens.own)
  const shell = { ...env, PS1: 'shell: ', HISTFILE: '/dev/null' }
  pty = startPty('/bin/bash', ['--norc', '--noprofile', '-i'], { env: shell })
  await pty.shows('shell: ')
  pty.type(`'${process.execPath}' '${fixture}' none\r`)
  await pty.shows('Ada Lovelace')
  pty.type('3')
  await pty.shows('this one')
}

/** How often the full-screen buffer was entered. */
const entries = () => pty.raw().split('\u001b[?1049h').length - 1

test('Ctrl+Z gives the terminal back to the shell, and fg goes on where it was', async () => {
  await startJob()
  pty.type('\u001a')
  await pty.shows('Stopped')
  expect(await pty.buffer()).toBe('normal')
  pty.type('echo told $((20 + 3))\r')
  await pty.shows('told 23')
  pty.type('fg\r')
  await pty.shows('this one')
  expect(await pty.buffer()).toBe('alternate')
  pty.type('4')
  await pty.shows('Member since')
  expect(entries()).toBe(2)
  expect(pty.raw().lastIndexOf('\u001b[?25l')).toBeGreaterThan(pty.raw().lastIndexOf('\u001b[?25h'))
  pty.type('q')
  await pty.shows('shell: ')
  expect(await pty.buffer()).toBe('normal')
})

test('bg leaves the terminal to the shell, and fg still goes on', async () => {
  await startJob()
  pty.type('\u001a')
  await pty.shows('Stopped')
  pty.type('bg; while [ -n "$(jobs -r)" ]; do sleep 0.1; done; echo told $((20 + 3))\r')
  await pty.shows('told 23')
  expect([await pty.buffer(), entries()]).toEqual(['normal', 1])
  pty.type('fg\r')
  await pty.shows('this one')
  expect(await pty.buffer()).toBe('alternate')
  pty.type('q')
  await pty.shows('shell: ')
  expect(await pty.buffer()).toBe('normal')
})

test('a stopped job can be ended, and one that goes on still restores the terminal', async () => {
  await startJob()
  pty.type('\u001a')
  await pty.shows('Stopped')
  pty.type('fg\r')
  await pty.shows('this one')
  process.kill(programBelow(), 'SIGTERM')
  await pty.shows('Terminated')
  expect(await pty.buffer()).toBe('normal')
  pty.type(`clear; '${process.execPath}' '${fixture}' none\r`)
  await pty.shows('Ada Lovelace')
  pty.type('\u001a')
  await pty.shows('Stopped')
  pty.type('kill %1\r')
  await expect.poll(() => pty.children()).toEqual([])
  expect(await pty.buffer()).toBe('normal')
})

test('another program that stops it gives the terminal back too', async () => {
  await startJob()
  process.kill(programBelow(), 'SIGTSTP')
  await pty.shows('Stopped')
  expect(await pty.buffer()).toBe('normal')
  pty.type('fg\r')
  await pty.shows('this one')
  pty.type('4')
  await pty.shows('Member since')
})

test('CI in the environment does not hide the screen', async () => {
  start(await signedIn(screens.own), { env: { CI: 'true', CONTINUOUS_INTEGRATION: '1', DEV: 'true' } })
  expect(await pty.shows('Ada Lovelace')).toContain('online')
})

test('the selected row is whole in reverse, and so without colour', async () => {
  start(await signedIn(screens.own), { env: { NO_COLOR: '1' } })
  await pty.shows('Ada Lovelace')
  pty.type('3')
  await pty.shows('this one')
  expect(pty.raw().replaceAll('\u001b', '')).toMatch(/\[7m(\[1m)?❯ [^[]*this one[^[]*in 7d +(\[22m)?\[27m/)
  pty.type('q')
  expect(await ending()).toMatchObject({ code: 0 })
})
