import { afterEach, expect, test, vi } from 'vitest'
import { mailsTo, userOf } from '../../server/testing/mailed.ts'
import { acmeAt, createTeam, doneByBob, inviteTo, openAcme, ownTeamsOnly, tabTo } from './testing/acme.ts'
import { invitationsTo, membersOf, organizationsAt } from './testing/kept.ts'
import { ada, bob, eve, signedIn, signIn } from './testing/people.ts'
import type { Screen } from './testing/render.tsx'
import { useScreens } from './testing/screens.ts'

const screens = useScreens(ownTeamsOnly)
afterEach(() => void vi.restoreAllMocks())

/** Wide enough for a notice in one line. */
const size = { columns: 160, rows: 24 }

const eveIn = async (organizationId: string) =>
  (await membersOf(screens.own, organizationId)).find(({ email }) => email === eve)

/** Makes Eve an admin too. */
async function promote(ui: Screen): Promise<void> {
  ui.press('G', 'r')
  await ui.shows('[x] member')
  ui.press('right', 'space')
  await ui.shows('[x] admin')
  ui.press('enter')
  await ui.shows(`${eve} is member, admin. u undoes it  ·  postern member role set ${eve} member admin --org acme`)
}

test('u undoes a change of roles by an ordinary command, once', async () => {
  const acme = await acmeAt(screens.own)
  const ui = await openAcme(screens, acme, { size })
  await promote(ui)
  expect((await eveIn(acme.id))?.roles).toEqual(['member', 'admin'])
  ui.press('u')
  const frame = await ui.shows('Undone')
  expect(frame).toContain(`Undone: ${eve} is member  ·  postern member role set ${eve} member --org acme`)
  expect((await eveIn(acme.id))?.roles).toEqual(['member'])
  ui.press('u')
  await ui.shows('There is nothing to undo')
  ui.press('7')
  await ui.shows('member role set')
  expect(screens.writes()).toEqual(['POST /organization/update-member-role', 'POST /organization/update-member-role'])
})

test('what somebody else changed meanwhile stays as they left it', async () => {
  const acme = await acmeAt(screens.own)
  const ui = await openAcme(screens, acme, { size })
  await promote(ui)
  const [{ id: memberId = '' } = {}] = await screens.sql`
    select m.id from members m join users u on u.id = m.user_id where u.email = ${eve}`
  await doneByBob(acme, 'update-member-role', { memberId, role: ['owner'] })
  ui.press('u')
  await ui.shows(`The roles of ${eve} changed meanwhile, so nothing was undone`)
  expect((await eveIn(acme.id))?.roles).toEqual(['owner'])
  ui.press('esc')
  await ui.hides('changed meanwhile')
  ui.press('u')
  await ui.shows('There is nothing to undo')
})

test('a member leaves a team again, or goes back to it', async () => {
  const acme = await acmeAt(screens.own)
  const [design, { id: userId }] = [await createTeam(acme, 'Design'), await userOf(screens.service, eve)]
  await createTeam(acme, 'Sales')
  await doneByBob(acme, 'add-team-member', { teamId: design, userId })
  const ui = await openAcme(screens, acme, { size })
  const moveTo = async (team: string) => {
    ui.press('G', 't')
    await ui.shows('Eve Moss: team')
    ui.press(team === 'Sales' ? 'down' : 'up', 'enter')
    await ui.shows(`Put ${eve} into ${team}. u undoes it`)
  }
  await moveTo('Sales')
  ui.press('u')
  await ui.shows(`Undone: Took ${eve} out of Sales  ·  postern team member remove ${eve} --team Sales --org acme`)
  expect((await eveIn(acme.id))?.team).toBe('Design')
  await expect.poll(ui.frame).toMatch(/Eve Moss .* Design /)
  ui.press('x')
  await ui.shows('Take out of the team')
  ui.press('down', 'down', 'enter')
  await ui.shows(`Take ${eve} out of Design?`)
  ui.press('y')
  await ui.shows(`Took ${eve} out of Design. u undoes it`)
  expect((await eveIn(acme.id))?.team).toBeNull()
  ui.press('u')
  await ui.shows(`Undone: Put ${eve} into Design`)
  expect((await eveIn(acme.id))?.team).toBe('Design')
})

test('several are checked before the first is taken back', async () => {
  const acme = await acmeAt(screens.own)
  const team = await createTeam(acme, 'Design')
  const ui = await openAcme(screens, acme, { size })
  const place = async () => {
    ui.press('t')
    await ui.shows('2 members: team')
    ui.press('enter')
    await ui.shows('Put 2 members into Design. u undoes it')
  }
  ui.press('j', 'space', 'space')
  await ui.shows('2 marked')
  await place()
  ui.press('u')
  await ui.shows('Undone: 2 changes')
  expect((await membersOf(screens.own, acme.id)).map((one) => one.team)).toEqual([null, null, null])
  await expect.poll(ui.frame).not.toMatch(/Eve Moss .* Design/)
  ui.press('g', 'j', 'space', 'space')
  await ui.shows('2 marked')
  await place()
  const { id: userId } = await userOf(screens.service, eve)
  await doneByBob(acme, 'remove-team-member', { teamId: team, userId })
  ui.press('u')
  await ui.shows(`The teams of ${eve} changed meanwhile`)
  expect((await membersOf(screens.own, acme.id)).map((one) => one.team)).toEqual([null, 'Design', null])
})

test('a team and an organization get their names back', async () => {
  const acme = await acmeAt(screens.own)
  const team = await createTeam(acme, 'Design')
  const ui = await openAcme(screens, acme, { size })
  await tabTo(ui, 'Teams')
  const rename = async () => {
    await ui.shows('Design  ')
    ui.press('e')
    await ui.shows('Rename the team')
    ui.press(' Lab\r')
    await ui.shows('Team Design is now Design Lab. u undoes it')
  }
  await rename()
  ui.press('u')
  await ui.shows("Undone: Team Design Lab is now Design  ·  postern team edit 'Design Lab' --name Design --org acme")
  await ui.hides('Design Lab ')
  await rename()
  await doneByBob(acme, 'update-team', { teamId: team, data: { name: 'Studio', organizationId: acme.id } })
  ui.press('u')
  await ui.shows('The name of team Design Lab changed meanwhile')
  expect(await screens.sql`select name from teams`).toEqual([{ name: 'Studio' }])
  ui.press('esc')
  await tabTo(ui, 'Settings')
  ui.press('e')
  await ui.shows('Logo URL')
  ui.press(' Works', 'enter', '-works', 'enter', 'enter', 'enter')
  await ui.shows('Updated Acme Works (acme-works). u undoes it')
  ui.press('u')
  await ui.shows('Undone: Updated Acme (acme)  ·  postern org edit acme-works --name Acme --slug acme')
  expect(await organizationsAt(screens.own)).toMatchObject([{ name: 'Acme', slug: 'acme' }])
})

test('an invitation that was taken back is sent again, and the key says so', async () => {
  const acme = await acmeAt(screens.own)
  await inviteTo(acme, 'zoe@example.com')
  const ui = await openAcme(screens, acme, { size })
  await tabTo(ui, 'Invitations')
  ui.press('D')
  await ui.shows('Take the invitation of zoe@example.com back?')
  ui.press('y')
  await ui.shows('Took the invitation of zoe@example.com back. u invites again, by a new mail')
  ui.press('u')
  await ui.shows('Undone: Invited zoe@example.com as member')
  expect((await invitationsTo(screens.own, 'zoe@example.com')).map(({ status }) => status)).toEqual([
    'canceled',
    'pending',
  ])
  expect(await mailsTo(screens.service, 'zoe@example.com', 'invitation')).toHaveLength(2)
})

test('the own profile is as before, unless it was changed elsewhere', async () => {
  const machine = await signedIn(screens.own)
  const ui = screens.open(machine, { screen: 'profile', size })
  const rename = async () => {
    ui.press('e')
    await ui.shows('Image URL')
    ui.press('!', 'enter', 'enter', 'enter')
    await ui.shows('Updated ada@example.com. u undoes it')
  }
  await ui.shows('Member since')
  await rename()
  ui.press('u')
  await ui.shows("Undone: Updated ada@example.com  ·  postern account edit --name 'Ada Lovelace'")
  await rename()
  await machine('account edit --name Ada')
  ui.press('u')
  await ui.shows('Your profile changed meanwhile')
  expect((await machine('whoami --json=name')).json).toEqual({ name: 'Ada' })
})

test('it is gone after ten seconds, after another act, and not offered where u is typed', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const acme = await acmeAt(screens.own)
  const ui = await openAcme(screens, acme, { size })
  await promote(ui)
  ui.press('c')
  await ui.shows('A mail tells them')
  expect(ui.frame()).not.toContain('u undoes it')
  ui.press('esc')
  await ui.shows('u undoes it')
  const timer = timers.mock.calls.findLast(([, milliseconds]) => milliseconds === 10_000)
  timer?.[0]()
  await ui.hides('u undoes it')
  ui.press('u')
  await ui.shows('There is nothing to undo')
  await tabTo(ui, 'Members')
  ui.press('G', 't')
  await ui.shows('there is no team yet')
  expect((await eveIn(acme.id))?.roles).toEqual(['member', 'admin'])
})

test('who is signed out undoes nothing', async () => {
  const { setTimeout } = globalThis
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, milliseconds: number, ...rest: []) =>
    milliseconds === 10_000 ? undefined : setTimeout(run, milliseconds, ...rest)) as typeof setTimeout)
  const acme = await acmeAt(screens.own)
  const ui = await openAcme(screens, acme, { size })
  await promote(ui)
  await acme.machine('sign-out')
  ui.press('R')
  await ui.shows('Signed out')
  ui.press('esc')
  await ui.hides('Signed out')
  await expect.poll(ui.frame).not.toContain('u undoes it')
  ui.press('u')
  await ui.shows('There is nothing to undo')
})

test('what ends after a switch of account is neither told to the other one nor undone as them', async () => {
  const acme = await acmeAt(screens.own)
  await signIn(acme.machine, bob)
  await acme.machine(`auth switch ${ada}`)
  const ui = await openAcme(screens, acme, { size })
  const [{ origin } = { origin: '' }] = ui.store.state.accounts
  const switchTo = async (email: string) => {
    await ui.store.accounts.choose({ origin, email })
    await ui.store.load()
  }
  ui.press('G', 'r')
  await ui.shows('[x] member')
  ui.press('right', 'space')
  await ui.shows('[x] admin')
  const form = screens.own.hold('POST /organization/update-member-role')
  ui.press('enter')
  await form.answered
  await switchTo(bob)
  await ui.shows(`postern  ·  ${bob}`)
  form.release()
  await ui.hides('Asking the service')
  await ui.shows('[Members')
  expect(ui.frame()).not.toMatch(/undoes it|is member, admin/)
  expect((await eveIn(acme.id))?.roles).toEqual(['member', 'admin'])
  ui.press('u')
  await ui.shows('There is nothing to undo')
  await inviteTo(acme, 'zoe@example.com')
  ui.press('R')
  await tabTo(ui, 'Invitations')
  await ui.shows('zoe@example.com')
  const action = screens.own.hold('POST /organization/cancel-invitation')
  ui.press('D')
  await ui.shows('Take the invitation of zoe@example.com back?')
  ui.press('y')
  await action.answered
  await switchTo(ada)
  await ui.hides('Cancel…')
  action.release()
  await ui.hides('zoe@example.com  pending')
  await expect.poll(() => ui.store.activity.isBusy()).toBe(false)
  expect(ui.frame()).not.toMatch(/Took the invitation|invites again/)
})
