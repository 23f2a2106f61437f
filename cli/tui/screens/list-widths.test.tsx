import { expect, test } from 'vitest'
import { openAcme } from '../testing/acme.ts'
import { organization } from '../testing/organizations.ts'
import { ada, signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'
import { windowSizes } from '../testing/window-sizes.ts'

const screens = useScreens()

/** Long names and addresses, as they are in a large company. */
const people = {
  'maximiliane.von-und-zu@example.com': 'Maximiliane Freifrau von und zu Hohenstein-Wartenburg (Procurement, EMEA)',
  'srinivasa.ramanujan@example.com': 'Srinivasa Ramanujan',
}

const addresses = Object.keys(people)

/** Ada's Acme, with these people as members. */
async function largeCompany() {
  const machine = await signedIn(screens.own)
  for (const [email, name] of Object.entries(people)) await screens.service.person({ email, name })
  const id = await organization(screens.service, 'Acme', { [ada]: 'owner', ...rolesOf('admin') })
  return { machine, id }
}

const rolesOf = (role: string) => Object.fromEntries(addresses.map((email) => [email, role]))

test.each(windowSizes)(
  'at %i×%i a list of members has every address whole, whatever their names',
  async (columns, rows) => {
    const ui = await openAcme(screens, await largeCompany(), { size: { columns, rows } })
    const frame = await ui.shows(addresses[0] ?? '')
    for (const email of addresses) expect(frame).toContain(email)
    // A narrow window has room for nothing else.
    expect(frame.match(/ Name +Email +Roles/)?.length).toBe(columns > 40 ? 1 : undefined)
  },
)

test('in 80 columns a name takes no more than a third, and time has its short form', async () => {
  const ui = await openAcme(screens, await largeCompany(), { size: { columns: 80, rows: 24 } })
  await ui.shows('Maximiliane')
  expect(ui.frame()).toMatch(/Maximiliane .{0,14}… +maximiliane\.von-und-zu@example\.com +admin +.*(now|\d+[sm]) *$/m)
  expect(ui.frame()).not.toContain(' ago')
})

test.each(windowSizes)('at %i×%i a list of invitations has every address whole', async (columns, rows) => {
  const acme = await largeCompany()
  const email = 'benedikt.longer-than@example.com'
  await acme.machine(`invitation create ${email} --role member --org acme`)
  const ui = await openAcme(screens, acme, { size: { columns, rows } })
  ui.press('tab')
  await ui.shows('[Invitations')
  expect(await ui.shows(email)).toContain(columns > 40 ? 'in 2d' : '❯ ')
})
