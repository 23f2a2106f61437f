import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { fourDigits, freePort } from '../../../server/testing/ports.ts'
import { testPassword } from '../../../server/testing/service.ts'
import { slack } from '../../../server/testing/slack.ts'
import { organization } from '../../tui/testing/organizations.ts'
import { type OwnService, startOwnService, type TestPerson } from '../own-service.ts'
import { type PaintedText, type Pty, startPty } from '../pty.ts'
import { bin } from '../real-service.ts'
import { type Frame, movingSvg, terminalSvg } from './terminal-svg.ts'

// What the documents show: the real program in a real pseudo-terminal, in front of a real service. `npm run pictures` makes them anew.

const folder = join(import.meta.dirname, '../../../pictures')
/** What people see who start the service themselves; as many characters as the address that it has here. */
const shownHost = 'localhost:4100'

let service: OwnService
let ada: TestPerson
let terminal: Pty | undefined
beforeAll(async () => {
  service = await startOwnService({ TEAMS: 'on', DEFAULT_TEAM: 'off', PORT: String(await freePort(fourDigits)) })
  ada = await settle()
  await nameIds()
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

/** Ids as they are here → ids as they are in the pictures, both by what an ending shows of them. */
const shownIds = new Map<string, string>()

/** Each id of this run has one of its own, the same in every picture and at every time. */
async function nameIds(): Promise<void> {
  const { sql } = service.service.deps
  const rows = await sql<{ id: string }[]>`
    select u.id from users u
    union all select m.id from members m
    union all select s.id from sessions s
    order by id
  `
  for (const [index, { id }] of rows.entries()) shownIds.set(endingOf(id), shownId(index))
}

const endingOf = (id: string): string => id.slice(-12)

function shownId(index: number): string {
  const hex = createHash('sha256').update(String(index)).digest('hex')
  return `01960f3c-5f0a-7${hex.slice(0, 3)}-9${hex.slice(3, 6)}-${hex.slice(6, 18)}`
}

/** What is of this machine and this moment, as it is everywhere and always; each as wide as before. */
const settled = (run: PaintedText): PaintedText => ({
  ...run,
  text: run.text
    .replaceAll(new URL(service.url).host, shownHost)
    .replaceAll(/(?:[0-9a-f]+-)+[0-9a-f]{12}/g, (id) => (shownIds.get(endingOf(id)) ?? '?').slice(-id.length))
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '2026-03-14 09:26'),
})

const linesOf = async ({ painted }: Pty) => (await painted()).map((line) => line.map(settled))

const picture = async (title: string, pty: Pty, columns: number): Promise<string> =>
  terminalSvg(title, columns, await linesOf(pty))

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
  await expect.poll(home.screen).not.toContain('Checking for news')
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
    'invitation create zoe@example.com --role member',
    'role check member:create',
    'session list',
  ]
  const script = `postern() { "$NODE" "$BIN" "$@"; }
${lines.map((line) => `printf '\\033[1m$ postern ${line}\\033[0m\\n'; postern ${line}; echo`).join('\n')}
printf '\\033]0;all told\\007'; read -r _`
  const shell = open(92, 23, ['/bin/sh', '-c', script])
  // A window's title is in no picture.
  await expect.poll(shell.raw, { timeout: 15_000 * slack }).toContain('\u001b]0;all told\u0007')
  await expect(
    picture('the command line: who is signed in, members, an invitation, a check, sessions', shell, 92),
  ).resolves.toMatchFileSnapshot(at('command-line'))
})

test('a sign-in, an invitation and a role change, as they are typed', async () => {
  const laptop = service.machine()
  // What an interactive shell reads first.
  const file = join(laptop.folder, 'shell')
  writeFileSync(file, 'PS1="$ "\npostern() { "$NODE" "$BIN" "$@"; }\n')
  const env = { ...laptop.env, NODE: process.execPath, BIN: bin, ENV: file }
  terminal = startPty('/bin/sh', ['-i'], { columns: 92, rows: 17, env })
  const frames = await typed(terminal, [
    [`postern sign-in --email ${ada.email}`, /Password/],
    [testPassword, /Signed in[^]*\n\$ *\n*$/],
    ['postern invitation create mia@example.com --role member', /mia@example.com created[^]*\n\$ *\n*$/],
    ['postern member role set eve@example.com admin', /eve@example.com is admin[^]*\n\$ *\n*$/],
    ['postern member list', /lou@example.com[^]*\n\$ *\n*$/],
  ])
  const title = 'the command line: a sign-in, an invitation, a role change, and the members'
  await expect(movingSvg(title, 92, frames)).toMatchFileSnapshot(at('tour'))
})

/** The frames of lines that are typed word by word, each until its answer and the next prompt are there. */
async function typed(pty: Pty, lines: readonly (readonly [line: string, answer: RegExp])[]): Promise<readonly Frame[]> {
  const frames: Frame[] = []
  const keep = async (time: number) => frames.push({ lines: await linesOf(pty), time })
  await pty.shows('$')
  await keep(600)
  for (const [line, answer] of lines) {
    for (const word of line.match(/\S+\s*/g) ?? []) {
      const before = await pty.screen()
      pty.type(word)
      await expect.poll(pty.screen).not.toBe(before)
      await keep(300)
    }
    pty.type('\r')
    await expect.poll(pty.screen, { timeout: 15_000 * slack }).toMatch(answer)
    await keep(1500)
  }
  await keep(4000)
  return frames
}
