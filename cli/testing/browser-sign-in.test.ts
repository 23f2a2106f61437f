import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { slack } from '../../server/testing/slack.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import type { Visitor } from '../../server/testing/visitor.ts'
import { runBuilt } from './built.ts'
import { dialogueWith } from './line-dialogue.ts'
import { type Pty, startPty } from './pty.ts'
import { bin } from './real-service.ts'
import { ending, openTui, restored } from './tui-below-shell.ts'
import { useOwnService } from './use-service.ts'

// A terminal, a service and the seconds that a sign-in waits between two questions.
vi.setConfig({ testTimeout: 120_000 * slack })

const own = useOwnService({ RATE_LIMIT: 'off' })
let person: Visitor & { readonly email: string }
let env: Record<string, string>
let pty: Pty | undefined
beforeEach(async () => {
  person = await own.service.person()
  const home = temporaryFolder('browser')
  env = {
    HOME: home,
    POSTERN_URL: own.url,
    POSTERN_STATE_DIR: join(home, 'state'),
    POSTERN_CONFIG_DIR: join(home, 'config'),
  }
})
afterEach(() => pty?.close())

/** As the person does it in a browser. */
async function approve(screen: string): Promise<void> {
  const [userCode = ''] = /[A-Z]{4}-[A-Z]{4}/.exec(screen) ?? []
  await person.get(`/device?user_code=${userCode}`)
  expect((await person.post('/device/approve', { userCode })).status).toBe(200)
}

const whoami = async () => (await runBuilt(['whoami'], { env })).stdout

describe('postern sign-in --device at a terminal', () => {
  const signIn = (...argv: string[]) =>
    (pty = startPty(process.execPath, [bin, 'sign-in', '--device', ...argv], { env }))

  test('counts down on one line, which is gone in the end', async () => {
    const terminal = signIn()
    await expect.poll(() => new Set(terminal.raw().match(/\d:\d\d left/g)).size).toBeGreaterThan(1)
    const first = await terminal.screen()
    expect(first.match(/Waiting/g)).toHaveLength(1)
    await approve(first)
    expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 })
    expect(await terminal.screen()).toContain(`Signed in as ${person.email}`)
    expect(await terminal.screen()).not.toContain('Waiting')
    expect(await whoami()).toContain(person.email)
  })

  test('Ctrl+C leaves it, and the line that is printed then goes on', async () => {
    const terminal = signIn('--qr')
    const shown = await terminal.shows('Waiting')
    expect(shown).toContain('▀')
    terminal.type('\u0003')
    expect(await terminal.exit).toEqual({ exitCode: 130, signal: 0 })
    const [, line = ''] = /Continue: postern (sign-in --resume \S+)/.exec(await terminal.screen()) ?? []
    await approve(await terminal.scrollback())
    expect(await runBuilt([...line.split(' '), '--wait', '1m'], { env })).toMatchObject({ code: 0 })
    expect(await whoami()).toContain(person.email)
  })
})

describe('the terminal UI', () => {
  async function openForm(): Promise<Pty> {
    const terminal = openTui({ env, columns: 110, rows: 34 })
    pty = terminal
    await terminal.shows('Nobody is signed in here')
    terminal.type('2')
    await terminal.shows('+ Sign in with a browser')
    terminal.type('j\r')
    await terminal.shows('Provider (empty')
    terminal.type('\r\r')
    return terminal
  }

  test('shows address, code, picture and time, and leads home', async () => {
    const terminal = await openForm()
    const frame = await terminal.shows('Waiting, ')
    expect(frame).toContain(`${own.url}/api/auth/page/device`)
    await terminal.shows('▀')
    await approve(frame)
    await terminal.shows(`Signed in as ${person.email}`)
    await terminal.shows('Session ends')
    expect(await terminal.screen()).toContain('postern sign-in --device')
    terminal.type('q')
    expect(await ending(terminal)).toEqual({ code: 0, ...restored })
    expect(await whoami()).toContain(person.email)
  })

  test('escape cancels, and the form is there again', async () => {
    const terminal = await openForm()
    await terminal.shows('Waiting')
    terminal.type('\u001b')
    await terminal.shows('Cancelled')
    expect(await terminal.screen()).toContain('Provider (empty')
    terminal.type('\u0003')
    expect(await ending(terminal)).toEqual({ code: 130, ...restored })
    expect((await runBuilt(['whoami'], { env })).code).toBe(4)
  })

  test('a provider that the service does not have is said, and may be mended', async () => {
    const terminal = openTui({ env })
    pty = terminal
    await terminal.shows('Nobody is signed in here')
    terminal.type('2')
    await terminal.shows('+ Sign in with a browser')
    terminal.type('j\r')
    await terminal.shows('Provider (empty')
    terminal.type('gitlub\r\r')
    const below = await terminal.shows('does not support sign-in with')
    expect(below.split('\n').findIndex((line) => line.includes('Provider (empty'))).toBe(
      below.split('\n').findIndex((line) => line.includes('does not support sign-in with')) - 1,
    )
  })
})

describe('the conversation in lines', () => {
  const open = () =>
    (pty = startPty(process.execPath, [bin, 'tui'], {
      rows: 60,
      columns: 140,
      env: { ...env, POSTERN_ACCESSIBLE: '1' },
    }))

  async function begin(terminal: Pty): Promise<string> {
    const { choose, answer } = dialogueWith(terminal)
    await choose('Sign in with a browser')
    await answer('Provider (empty: choose on the page):', '')
    return terminal.shows('An empty line cancels.')
  }

  test('says what to do, waits, and goes on as that person', async () => {
    const terminal = open()
    const said = await begin(terminal)
    expect(said).toMatch(/Waiting, \d minutes left/)
    await approve(said)
    await terminal.shows(`Signed in as ${person.email}. The same as: postern sign-in --device`)
    await dialogueWith(terminal).answer('Number:', '0')
    expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 })
    expect(terminal.raw()).not.toContain('\u001b')
    expect(await whoami()).toContain(person.email)
  })

  test('an empty line cancels, Ctrl+C leaves', async () => {
    const terminal = open()
    await begin(terminal)
    terminal.type('\r')
    await terminal.shows('Cancelled')
    await begin(terminal)
    terminal.type('\u0003')
    expect((await terminal.exit).exitCode).toBe(130)
  })
})
