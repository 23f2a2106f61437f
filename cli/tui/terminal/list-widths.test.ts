import { afterEach, expect, test } from 'vitest'
import type { Pty } from '../../testing/pty.ts'
import type { Runner } from '../../testing/run-cli.ts'
import { showAcme } from '../testing/acme.ts'
import { organization } from '../testing/organizations.ts'
import { ada, signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'
import { useTui } from '../testing/use-tui.ts'
import { sizesToStart } from '../testing/window-sizes.ts'

const screens = useScreens()
const startTui = useTui()
let pty: Pty
afterEach(() => pty?.close())

async function open({ env }: Runner, columns: number, rows: number): Promise<void> {
  pty = startTui({ columns, rows, env })
  await showAcme(pty)
}

/** Long names and addresses, as they are in a large company. */
const people = {
  'maximiliane.von-und-zu@example.com': 'Maximiliane Freifrau von und zu Hohenstein-Wartenburg (Procurement, EMEA)',
  'srinivasa.ramanujan@example.com': 'Srinivasa Ramanujan',
}

const addresses = Object.keys(people)

/** Ada's Acme, with these people as members. */
async function largeCompany(): Promise<Runner> {
  const machine = await signedIn(screens.own)
  for (const [email, name] of Object.entries(people)) await screens.service.person({ email, name })
  await organization(screens.service, 'Acme', { [ada]: 'owner', ...rolesOf('admin') })
  return machine
}

const rolesOf = (role: string) => Object.fromEntries(addresses.map((email) => [email, role]))

test.each(sizesToStart)('at %i×%i members and invitations have every address whole', async (columns, rows) => {
  const [machine, invited] = [await largeCompany(), 'benedikt.longer-than@example.com']
  await machine(`invitation create ${invited} --role member --org acme`)
  await open(machine, columns, rows)
  const members = await pty.shows(addresses[0] ?? '')
  for (const email of addresses) expect(members).toContain(email)
  // A narrow window has room for nothing else.
  expect(members.match(/ Name +Email +Roles/)?.length).toBe(columns > 40 ? 1 : undefined)
  pty.type('\t')
  await pty.shows('[Invitations')
  expect(await pty.shows(invited)).toContain(columns > 40 ? 'in 2d' : '❯ ')
})

test('in 80 columns a name takes no more than a third, and time has its short form', async () => {
  await open(await largeCompany(), 80, 24)
  const members = await pty.shows('Maximiliane')
  expect(members).toMatch(/Maximiliane .{0,14}… +maximiliane\.von-und-zu@example\.com +admin +.*(now|\d+[sm]) *$/m)
  expect(members).not.toContain(' ago')
})
