import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { slack } from '../../server/testing/slack.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { useStarted } from '../../server/testing/use-service.ts'
import { dialogueWith } from './line-dialogue.ts'
import { type Pty, type PtyOptions, startPty } from './pty.ts'
import { bin, startRealService } from './real-service.ts'
import { ending, openTui as openBelowShell, restored } from './tui-below-shell.ts'

// Terminals with a process each, and a whole journey in one test.
vi.setConfig({ testTimeout: 120_000 * slack })

let home: string
let pty: Pty | undefined
const service = useStarted(() => startRealService())
beforeEach(async () => {
  home = temporaryFolder('journey')
})
afterEach(async () => {
  pty?.close()
})

const env = () => ({
  HOME: home,
  POSTERN_URL: service.url,
  // The machine that runs this is called otherwise everywhere.
  POSTERN_NO_LABEL: 'on',
  POSTERN_STATE_DIR: join(home, 'state'),
  POSTERN_CONFIG_DIR: join(home, 'config'),
})

function openTui(options: PtyOptions = {}): Pty {
  pty = openBelowShell({ ...options, env: { ...env(), ...options.env } })
  return pty
}

/** The command line of the same machine; `elsewhere` has jars of its own. */
const postern = (args: readonly string[], input: string, elsewhere = '') =>
  execa(process.execPath, [bin, ...args], {
    extendEnv: false,
    env: { PATH: process.env.PATH, ...env(), POSTERN_STATE_DIR: join(home, `state${elsewhere}`) },
    input,
  })

const password = 'a long enough password'

async function signUp(terminal: Pty, email: string): Promise<void> {
  await terminal.shows('Nobody is signed in here')
  terminal.type('j\r')
  await terminal.shows('Create an account')
  terminal.type(`${email}\rAda Lovelace\r${password}\r${password}\r`)
  await terminal.shows(`Signed up and in as ${email}`)
}

describe('a person at a terminal', () => {
  test('signs up, sees home and sessions, revokes one, and leaves the terminal as it was', async () => {
    const email = 'journey@example.com'
    const terminal = openTui()
    await signUp(terminal, email)
    expect(await terminal.shows('Session ends')).toContain('Ada Lovelace')
    await postern(['sign-in', '--email', email, '--password-file', '-'], password, '-elsewhere')
    terminal.type('3')
    await terminal.shows('this one')
    expect((await terminal.screen()).match(/postern\/\S+ \(linux\)/g)).toHaveLength(2)
    terminal.type((await terminal.screen()).match(/❯.*this one/) ? 'j' : 'k')
    await terminal.shows('❯')
    terminal.type('D')
    await terminal.shows('Revoke this session?')
    terminal.type('y')
    await terminal.shows('Revoked the session')
    await expect.poll(async () => (await terminal.screen()).match(/postern\/\S+ \(linux\)/g)?.length).toBe(1)
    expect(await terminal.screen()).toContain('this one')
    terminal.type('q')
    expect(await ending(terminal)).toEqual({ code: 0, ...restored })

    // The jar that the screen wrote is the command line's own.
    expect((await postern(['whoami'], '')).stdout).toContain(email)
    await expect(postern(['whoami'], '', '-elsewhere')).rejects.toMatchObject({ exitCode: 4 })
  })

  test('edits the profile, signs out and in again', async () => {
    const email = 'again@example.com'
    const terminal = openTui()
    await signUp(terminal, email)
    terminal.type('4')
    await terminal.shows('Member since')
    terminal.type('e')
    await terminal.shows('Image URL')
    terminal.type(' King\r\r\r')
    await terminal.shows(`Updated ${email}`)
    await terminal.shows('Ada Lovelace King')
    terminal.type('2')
    await terminal.shows('current')
    terminal.type('D')
    await terminal.shows(`Sign ${email} out`)
    terminal.type('y')
    await terminal.shows(`Signed out ${email}`)
    terminal.type('1')
    await terminal.shows('Nobody is signed in here')
    terminal.type('\r')
    await terminal.shows('Password')
    terminal.type(`${email}\rwrong password\r`)
    await terminal.shows('Invalid email or password')
    terminal.type(`\u0015${password}\r`)
    await terminal.shows('Ada Lovelace King')
    terminal.type('\u0003')
    expect(await ending(terminal)).toEqual({ code: 130, ...restored })
  })
})

test.each(['SIGTERM', 'SIGHUP'] as const)('the terminal is as before when %s ends it', async (signal) => {
  const terminal = openTui()
  await terminal.shows('Nobody is signed in')
  for (const pid of terminal.children()) process.kill(pid, signal)
  expect(await ending(terminal)).toEqual({ code: signal === 'SIGTERM' ? 143 : 129, ...restored })
})

test('without a terminal it is exit 14, and says which commands do the same', async () => {
  const { exitCode, stdout, stderr } = await postern(['tui'], '').catch((error: unknown) => Object(error))
  expect({ exitCode, stdout }).toEqual({ exitCode: 14, stdout: '' })
  expect(stderr).toContain('postern session list')
})

test('a service that is not there is said so, on a screen that stays', async () => {
  const terminal = openTui({ env: { POSTERN_URL: 'http://127.0.0.1:9' } })
  expect(await terminal.shows('R tries again')).toContain('offline')
  terminal.type('q')
  expect(await ending(terminal)).toEqual({ code: 0, ...restored })
})

test('the same as a conversation in lines, without one escape sequence', async () => {
  pty = startPty(process.execPath, [bin, 'tui'], { rows: 60, env: { ...env(), POSTERN_ACCESSIBLE: '1' } })
  const terminal = pty
  const { answer } = dialogueWith(terminal)
  await answer('Number:', '3')
  await answer('Email:', 'lines@example.com')
  await answer('Name:', 'Ada Lovelace')
  await answer('Password: (not shown while you type)', password)
  await answer('Repeat the password: (not shown while you type)', password)
  await answer('Number:', '3')
  expect(await terminal.shows('1 session.')).toContain('Signed in as Ada Lovelace, lines@example.com')
  await answer('Number:', '0')
  await answer('Number:', '0')
  expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 })
  expect(terminal.raw()).not.toContain('\u001b')
  expect(terminal.raw()).not.toContain(password)
})

test('a token in the environment is left to commands, and that is said', async () => {
  const given = { ...env(), POSTERN_ACCESSIBLE: '1', POSTERN_TOKEN: 'not-a-session' }
  pty = startPty(process.execPath, [bin, 'tui'], { columns: 120, env: given })
  await pty.shows('ignores POSTERN_TOKEN')
  expect(await pty.shows('Nobody is signed in here')).not.toContain('not-a-session')
})

test('--read-only refuses what writes before anything is sent', async () => {
  pty = startPty(process.execPath, [bin, 'tui', '--read-only'], { columns: 100, env: env() })
  await pty.shows('Nobody is signed in here')
  pty.type('\r')
  await pty.shows('Password')
  pty.type(`ada@example.com\r${password}\r`)
  expect(await pty.shows('Sign in: read-only mode is on')).toContain('·  read-only')
})
