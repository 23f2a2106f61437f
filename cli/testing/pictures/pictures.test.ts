import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { fourDigits, freePort } from '../../../server/testing/ports.ts'
import { testPassword } from '../../../server/testing/service.ts'
import { organization } from '../../tui/testing/organizations.ts'
import { type OwnService, startOwnService, type TestPerson } from '../own-service.ts'
import { type PaintedText, type Pty, startPty } from '../pty.ts'
import { bin } from '../real-service.ts'
import { terminalSvg } from './terminal-svg.ts'

// What README shows: the real program in a real pseudo-terminal, in front of a real service. `npm run pictures` makes them anew.

const folder = join(import.meta.dirname, '../../../pictures')
/** What people see who start the service themselves; as many characters as the address that it has here. */
const shownHost = 'localhost:4100'

let service: OwnService
let ada: TestPerson
let terminal: Pty | undefined
beforeAll(async () => {
  service = await startOwnService({ TEAMS: 'on', DEFAULT_TEAM: 'off', PORT: String(await freePort(fourDigits)) })
  ada = await settle()
})
afterEach(() => terminal?.close())
afterAll(() => service.stop())

/** Ada and those around her, at times that are told in the same words for hours. */
async function settle(): Promise<TestPerson> {
  const person = await service.person('Ada')
  for (const name of ['Bob', 'Eve', 'Kim', 'Lou']) await service.person(name)
  const [bob, ...others] = ['bob', 'eve', 'kim', 'lou'].map((name) => `${name}@example.com`)
  await organization(service.service, 'Acme', {
    [person.email]: 'owner',
    [String(bob)]: 'admin',
    ...Object.fromEntries(others.map((email) => [email, 'member'])),
  })
  await person('org use acme')
  await lostLaptop(person)
  const { sql } = service.service.deps
  await sql`update users set created_at = now() - interval '50 days'`
  await sql`update organizations set created_at = now() - interval '40 days'`
  await sql`update members set created_at = now() - interval '30 days'`
  return person
}

/** Where she is signed in besides. */
async function lostLaptop({ email }: TestPerson): Promise<void> {
  const { sql } = service.service.deps
  await sql`update sessions set created_at = now() - interval '3 days', label = 'workstation', user_agent = 'postern'`
  const laptop = service.machine()
  await laptop(`sign-in --email ${email} --password-file - --label lost-laptop`, { stdin: testPassword })
  await sql`
    update sessions set created_at = now() - interval '2 hours', ip_address = '203.0.113.7', user_agent = 'postern'
    where label = 'lost-laptop'
  `
}

/** What is of this machine and this moment, as it is everywhere and always; each as wide as before. */
const settled = (run: PaintedText): PaintedText => ({
  ...run,
  text: run.text
    .replaceAll(new URL(service.url).host, shownHost)
    .replaceAll(/(?:[0-9a-f]+-)+[0-9a-f]{12}/g, (id) => '01960f3c-5f0a-7c41-9d2e-8b6a4f9c2a71'.slice(-id.length))
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '2026-03-14 09:26'),
})

async function picture(title: string, { painted }: Pty, columns: number): Promise<string> {
  const lines = (await painted()).map((line) => line.map(settled))
  return terminalSvg(title, columns, lines)
}
const at = (name: string) => join(folder, `${name}.svg`)

function open(columns: number, rows: number, [file, ...args]: readonly [string, ...string[]] = tui): Pty {
  terminal = startPty(file, args, { columns, rows, env: { ...ada.env, NODE: process.execPath, BIN: bin } })
  return terminal
}
const tui = [process.execPath, bin, 'tui'] as const

test('the terminal UI at its start', async () => {
  const home = open(100, 24)
  await home.shows('lost-laptop')
  await home.shows('5 members')
  await home.hides('Looking')
  await expect.poll(home.screen).toContain('● online')
  await expect(
    picture('postern tui: what waits, where one is, and where to go from there', home, 100),
  ).resolves.toMatchFileSnapshot(at('home'))
})

test('an organization, with the selected member beside the list', async () => {
  const screen = open(130, 24)
  await screen.shows('5 members')
  screen.type('5')
  await screen.shows('acme')
  screen.type('\r')
  await screen.shows('bob@example.com')
  screen.type('j')
  await screen.shows('❯  Bob')
  await screen.shows('Keys 0')
  await expect.poll(screen.screen).toContain('● online')
  await expect(
    picture('postern tui: the members of an organization, one of them in detail', screen, 130),
  ).resolves.toMatchFileSnapshot(at('organization'))
})

test('the command line', async () => {
  const lines = [
    'whoami',
    'member list',
    'invite create zoe@example.com --role member',
    'role check member:create',
    'session list',
  ]
  const script = `postern() { "$NODE" "$BIN" "$@"; }
${lines.map((line) => `printf '\\033[1m$ postern ${line}\\033[0m\\n'; postern ${line}; echo`).join('\n')}
printf '\\033]0;all told\\007'; read -r _`
  const shell = open(92, 23, ['/bin/sh', '-c', script])
  // A window's title is in no picture.
  await expect.poll(shell.raw, { timeout: 15_000 }).toContain('\u001b]0;all told\u0007')
  await expect(
    picture('the command line: who is signed in, members, an invitation, a check, sessions', shell, 92),
  ).resolves.toMatchFileSnapshot(at('command-line'))
})
