import { expect, test } from 'vitest'
import { joinLongAgo } from '../../../server/testing/rows.ts'
import { testPassword } from '../../../server/testing/service.ts'
import { adminOf } from '../../testing/admin.ts'
import { acmeAt, inviteTo } from '../testing/acme.ts'
import { invitationsTo, sessionsOf } from '../testing/kept.ts'
import { organization } from '../testing/organizations.ts'
import { ada, bob, eve, signedIn, verify } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens({ DEFAULT_TEAM: 'off' })
const calm = 'Nothing waits for you'

/** A failed sign-in from another machine. */
const failToSignIn = () =>
  screens.service.visitor().post('/sign-in/email', { email: ada, password: 'wrong' }, { 'user-agent': 'Mallory' })
const signInElsewhere = (name: string) =>
  screens.service.visitor().post('/sign-in/email', { email: ada, password: testPassword }, { 'user-agent': name })

test('nothing to do is one calm line, then where one is, then the places', async () => {
  const { machine } = await acmeAt(screens.own)
  await verify(screens.own, ada)
  await machine('org use acme')
  const ui = screens.open(machine)
  const frame = await ui.shows(calm)
  const place = await ui.shows('Acme, as owner, 3 members, 0 invitations, 0 teams')
  expect(place.indexOf(calm)).toBeLessThan(place.indexOf('Organization '))
  expect(place.indexOf('Organization ')).toBeLessThan(place.indexOf('❯ Sessions'))
  expect(frame).not.toContain('Could not load')
  const { asked } = screens.own
  const own = ['list-user-invitations', 'list-sessions', 'list-activity', 'key/list', 'get-full-organization']
  const times = own.map((call) => asked.filter((line) => line.includes(call)).length)
  expect(Math.min(...times)).toBeGreaterThan(0)
  // The activity is asked for twice: what is new, and what there was in the last days.
  expect(Math.max(...times.map((count, at) => (own[at] === 'list-activity' ? count / 2 : count)))).toBeLessThan(3)
})

test('a window with less room than places says where among them one is', async () => {
  const machine = await signedIn(screens.own)
  await verify(screens.own, ada)
  const ui = screens.open(machine, { size: { columns: 40, rows: 10 } })
  await ui.shows(calm)
  const lines = (await ui.shows('1–2 of 6')).split('\n')
  expect(lines).toHaveLength(9)
  ui.press('G')
  expect(await ui.shows('5–6 of 6')).toContain('❯ Sign out')
})

test('who is in one organization alone works in that one, active or not, as commands have it', async () => {
  const { machine } = await acmeAt(screens.own)
  await verify(screens.own, ada)
  await machine('org use -')
  const ui = screens.open(machine)
  await ui.shows('Acme, as owner, 3 members, 0 invitations, 0 teams')
  await organization(screens.service, 'Beta', { [ada]: 'member' })
  ui.press('R')
  await ui.shows('you are in 2')
  expect(await ui.hides('Acme, as owner')).not.toContain('Organization  ')
})

test('v mails the link that verifies the address, and i accepts an invitation', async () => {
  const machine = await signedIn(screens.own)
  const person = await screens.service.person({ email: bob })
  for (const name of ['Acme', 'Beta'])
    await inviteTo({ bob: person, id: await organization(screens.service, name, { [bob]: 'owner' }) }, ada)
  const held = screens.own.hold('GET /organization/list-user-invitations')
  const ui = screens.open(machine)
  expect(await ui.shows('❯ Verify your address')).toContain(`v mails a link to ${ada}`)
  held.release()
  await ui.shows('v mails a link; invitations are shown after that')
  ui.press('v')
  await ui.shows(`A mail with a link is on its way to ${ada}`)
  ui.press('esc')
  await verify(screens.own, ada)
  ui.press('R')
  await ui.shows('Invitation: Beta')
  await ui.hides('Verify your address')
  // Accepts the selected invitation, not the first.
  ui.press('g', 'j', 'i')
  await ui.shows('Joined ')
  await ui.shows('you are in 1')
  expect(await invitationsTo(screens.own, ada)).toMatchObject([{ status: 'pending' }, { status: 'accepted' }])
  await ui.hides('Invitation: Beta')
  ui.press('i')
  await ui.shows('you are in 2')
  expect(await ui.shows(calm)).not.toContain('Invitation:')
})

test('what is odd since the last visit is told once, and leads to where it is told whole', async () => {
  const machine = await signedIn(screens.own)
  await verify(screens.own, ada)
  const before = screens.open(machine)
  await before.shows(calm)
  await failToSignIn()
  await failToSignIn()
  await signInElsewhere('Firefox 9')
  before.press('R')
  await before.shows('2 failed sign-ins')
  const frame = await before.shows('New session elsewhere')
  expect(frame).toMatch(/Firefox 9, \d+\./)
  expect(frame).not.toContain(calm)
  // The notice stays during the run.
  before.press('3')
  await before.shows('Firefox 9')
  before.press('1')
  await before.shows('2 failed sign-ins')
  before.press('g', 'enter')
  await before.shows('Home › Session')
  await before.shows('Firefox 9')
  before.press('esc', 'j', 'enter')
  await before.shows('Home › Activity')
  await before.shows('sign-in-failed')
  await expect.poll(async () => (await sessionsOf(screens.own)).length).toBe(2)
  const after = screens.open(machine)
  expect(await after.shows(calm)).not.toContain('failed')
})

test('a key that ends soon is told, of the organization too, and not to who may see none', async () => {
  const { machine } = await acmeAt(screens.own)
  await verify(screens.own, ada)
  await machine('org use acme')
  await machine('key create deploy --role admin --expires 9d')
  await machine('key create laptop --mine --expires 300d')
  const ui = screens.open(machine)
  expect(await ui.shows('Key deploy expires')).toMatch(/ends in \d+ days, as admin/)
  expect(ui.frame()).not.toContain('laptop')
  ui.press('g', 'enter')
  await ui.shows('Home › deploy')
  await screens.sql`update members set roles = '{member}' where user_id = (select id from users where email = ${ada})`
  ui.press('1', 'R')
  await ui.hides('Key deploy')
  await ui.shows('as member, 4 members')
  expect(ui.frame()).not.toContain('Could not load')
})

const countQueries = () => screens.own.asked.filter((call) => call.includes('list-members')).length

test('who may remove members is told how many were not seen lately, and is led to these', async () => {
  const { machine, id } = await acmeAt(screens.own)
  await verify(screens.own, ada)
  await machine('org use acme')
  for (const name of ['walt', 'xena']) await joinLongAgo(screens.service, id, name)
  const held = screens.own.hold('GET /organization/list-members')
  const ui = screens.open(machine)
  // Nothing waits for the number.
  await ui.shows(calm)
  expect(ui.frame()).not.toContain('not seen')
  held.release()
  await ui.shows('2 not seen for 30 days')
  expect(countQueries()).toBe(1)
  // Neither another screen nor the way back asks again.
  ui.press('3')
  await ui.shows('this one')
  ui.press('1')
  await ui.shows('2 not seen for 30 days')
  expect(countQueries()).toBe(1)
  ui.press('g', 'j', 'j', 'j', 'j')
  await ui.shows('❯ Members of Acme')
  ui.press('enter')
  const list = await ui.shows('walt@example.com')
  expect(list).toContain('Home › Acme › Not seen for 30 days')
  expect(list).toContain('Only members not seen for 30 days')
  expect(list).not.toContain('Eve Moss')
  ui.press('esc')
  await ui.shows('[Members 5]')
  await ui.shows('Eve Moss')
  ui.press('esc')
  await ui.shows('2 not seen for 30 days')
})

test('who may not remove members is not told, and the service is not asked', async () => {
  const { machine, id } = await acmeAt(screens.own, 'member')
  await machine('org use acme')
  await joinLongAgo(screens.service, id, 'walt')
  const ui = screens.open(machine)
  await ui.shows('as member, 4 members')
  await ui.settled()
  expect(ui.frame()).not.toContain('not seen')
  expect(countQueries()).toBe(0)
})

test('however many sign-ins have failed, what happened before them is told too', async () => {
  const machine = await signedIn(screens.own)
  await screens.sql`
    insert into audit_events (id, event, user_id, request_id, created_at)
    select 'event-' || n, case n when 0 then 'password-changed' else 'sign-in-failed' end, users.id, 'request',
      now() + n * interval '1 millisecond'
    from generate_series(0, 110) n, users
  `
  const ui = screens.open(machine)
  expect(await ui.shows('100 or more failed sign-ins')).toContain('1 change of the password')
})

test('a part that nobody answers is said so, and the others are there; the frame waits for none', async () => {
  const machine = await signedIn(screens.own)
  await verify(screens.own, ada)
  const held = screens.own.hold('GET /list-activity')
  const ui = screens.open(machine)
  await ui.shows('Session ends')
  expect(await ui.shows('❯ Sessions')).not.toContain(calm)
  held.release()
  await ui.shows(calm)
})

test('who acts as somebody is told nothing of their safety, and notes no visit', async () => {
  const machine = await adminOf(screens.own)
  await screens.service.person({ email: eve })
  await machine(`admin user impersonate ${eve}`)
  const ui = screens.open(machine)
  await ui.shows('❯ Stop impersonating')
  await ui.settled()
  expect(ui.frame()).not.toContain('Could not load')
  expect(screens.own.asked.filter((call) => call.includes('list-activity'))).toEqual([])
})

test.each([
  [80, 'Northern Lantern …, as owner, 3 members, 0 invitations, 0 teams'],
  [40, 'Northern La…, as owner'],
])('a long name of the organization leaves the role to be seen, in %s columns', async (columns, told) => {
  const { machine, id } = await acmeAt(screens.own)
  await screens.sql`update organizations set name = ${'Northern Lantern '.repeat(12)} where id = ${id}`
  const ui = screens.open(machine, { size: { columns, rows: 24 } })
  expect(await ui.shows(told)).not.toContain('Could not load')
})
