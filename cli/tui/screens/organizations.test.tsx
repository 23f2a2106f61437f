import { describe, expect, test } from 'vitest'
import { linkTo } from '../../../server/testing/mailed.ts'
import { acmeAt, createTeam, inviteTo, openAcme, ownTeamsOnly } from '../testing/acme.ts'
import { invitationsTo, membersOf, organizationsAt, sessionsOf } from '../testing/kept.ts'
import { organization } from '../testing/organizations.ts'
import { ada, bob, eve, signedIn, verify } from '../testing/people.ts'
import { unfolded } from '../testing/render.tsx'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens(ownTeamsOnly)

describe('my organizations', () => {
  test('one is created by c, becomes the active one and stands in the top line', async () => {
    const screen = screens.open(await signedIn(screens.own), { screen: 'orgs' })
    await screen.shows('You are in no organization yet')
    screen.press('c')
    await screen.shows('You become its owner')
    screen.press('Acme Inc.')
    await screen.shows("postern org create 'Acme Inc.' --slug acme-inc")
    screen.press('\r', '\u0015not a slug\r', '\r', '{"plan"\r')
    expect(await screen.shows('Metadata is a JSON object')).toContain('A slug has letters')
    expect(screens.writes()).toEqual([])
    screen.press('\u0015acme\r', '\r', ':"pro"}\r')
    await screen.shows("Created Acme Inc. (acme), the active organization now  ·  postern org create 'Acme Inc.'")
    await expect.poll(screen.frame).toMatch(/localhost:\d+ {2}· {2}Acme Inc\. /)
    expect(await organizationsAt(screens.own)).toEqual([
      { name: 'Acme Inc.', slug: 'acme', logo: null, metadata: { plan: 'pro' } },
    ])
  })

  test('in the smallest window the field that one is in is seen, with all that is wrong with it', async () => {
    const size = { columns: 40, rows: 10 }
    const screen = screens.open(await signedIn(screens.own), { screen: 'orgs', size })
    await screen.shows('You are in no organization yet')
    screen.press('c')
    expect(await screen.shows('❯ Name')).toContain('You become its owner, and it becomes …')
    screen.press('Acme\r', '\u0015not a slug\r', 'no address\r', '{"plan"\r')
    await screen.settled()
    expect(await screen.shows('A slug has letters')).toMatch(/❯ Slug .* not a slug/)
    screen.press('tab')
    expect(await screen.shows('❯ Logo URL')).toMatch(/Logo URL +no address\n.*http/)
    screen.press('tab')
    expect(unfolded(await screen.shows('❯ Metadata'))).toMatch(/Metadata \{"plan" Metadata is a JSON object/)
    expect(screen.frame()).not.toContain('Name')
    screen.press('tab')
    await screen.shows('❯ Name')
  })

  test.each([
    [40, 10],
    [80, 15],
  ])('in %i×%i a form that waits for the service says so', async (columns, rows) => {
    const size = { columns, rows }
    const screen = screens.open(await signedIn(screens.own), { screen: 'orgs', size })
    await screen.shows('You are in no organization yet')
    screen.press('c')
    await screen.shows('❯ Name')
    const late = screens.own.hold('POST /organization/create')
    screen.press('Acme\r', '\r', '\r', '\r')
    expect(await screen.shows('Asking the service…')).toContain('Metadata')
    late.release()
    await screen.shows('Created Acme (acme)')
  })

  test('the menu of an empty list is named after the list', async () => {
    const screen = screens.open(await signedIn(screens.own), { screen: 'orgs' })
    await screen.shows('You are in no organization yet')
    screen.press('x')
    expect(await screen.shows('│ Organizations')).toContain('❯ Create an organization')
  })

  test('enter before the first one is listed opens no menu that would cover it', async () => {
    const screen = screens.open(await signedIn(screens.own), { screen: 'orgs' })
    await screen.shows('You are in no organization yet')
    const late = screens.own.hold('GET /organization/list')
    screen.press('c')
    await screen.shows('❯ Name')
    screen.press('Acme\r', '\r', '\r', '\r')
    await screen.shows('Created Acme (acme)')
    await late.answered
    screen.press('enter')
    await screen.settled()
    late.release()
    expect(await screen.shows('❯ Acme')).not.toContain('│ Organizations')
    screen.press('enter')
    await screen.shows('[Members')
  })

  test('o switches the active one from anywhere, also to none', async () => {
    const { machine } = await acmeAt(screens.own)
    const beta = await organization(screens.service, 'Beta', { [bob]: 'owner', [ada]: 'member' })
    const screen = screens.open(machine)
    await screen.shows('you are in 2')
    screen.press('o')
    expect(await screen.shows('Work in')).toContain('Work in no organization')
    screen.press('down', 'enter')
    await screen.shows('Using Beta (beta)  ·  postern org use beta')
    await expect.poll(screen.frame).toMatch(/localhost:\d+ {2}· {2}Beta /)
    expect(await sessionsOf(screens.own)).toMatchObject([{ activeOrganizationId: beta }])
    screen.press('o')
    await screen.shows('beta  active')
    screen.press('up', 'down', 'down', 'enter')
    await screen.shows('Using no organization  ·  postern org use -')
    expect(await sessionsOf(screens.own)).toMatchObject([{ activeOrganizationId: null }])
  })

  test('o finds one of many by its name or slug, and turns pages', async () => {
    const { machine } = await acmeAt(screens.own)
    for (const name of ['B-1', 'B-2', 'B-3', 'B-4', 'B-5', 'B-6']) {
      await organization(screens.service, name, { [ada]: 'owner' })
    }
    await machine('org create Globex --slug gx')
    const screen = screens.open(machine, { size: { columns: 60, rows: 10 } })
    await screen.shows('as owner, 1 member')
    screen.press('o')
    await screen.shows('❯ Acme')
    screen.press('\u001b[6~', '\u001b[6~')
    expect(await screen.shows('❯ B-6')).not.toContain('Acme')
    screen.press('\u001b[5~', '\u001b[5~')
    await screen.shows('❯ Acme')
    screen.press('gx')
    await screen.shows('❯ Globex')
    screen.press('\u0015b-5\r')
    await screen.shows('Using B-5 (b-5)')
  })

  test('read-only mode creates, switches and invites nothing', async () => {
    const acme = await acmeAt(screens.own)
    await createTeam(acme, 'Design')
    const ui = await openAcme(screens, acme, { isReadOnly: true })
    ui.press('t')
    await ui.shows('Put into a team: read-only mode is on')
    for (const key of ['c', 'r', 'D']) ui.press(key)
    await ui.shows('Remove: read-only mode is on')
    ui.press('o')
    await ui.shows('Work in')
    ui.press('enter')
    await ui.shows('read-only mode is on')
    expect(screens.writes()).toEqual([])
  })
})

describe('members', () => {
  test('several marked ones go by a command, and after the address of the owner among them was typed', async () => {
    const acme = await acmeAt(screens.own)
    const ui = await openAcme(screens, acme)
    ui.press('j', 'space', 'space')
    await ui.shows('2 marked')
    ui.press('D')
    expect(await ui.shows('Remove 2 members from the organization?')).toContain(
      `member remove ${bob} ${eve} --org acme`,
    )
    ui.press('y\r')
    await ui.shows('This does not match')
    ui.press('backspace', `${bob}\r`)
    await ui.shows('Removed 2 members')
    await ui.hides('Eve Moss')
    expect((await membersOf(screens.own, acme.id)).map(({ email }) => email)).toEqual([ada])
  })

  test('r chooses several roles, and what they were is chosen at first', async () => {
    const acme = await acmeAt(screens.own)
    const ui = await openAcme(screens, acme)
    ui.press('G', 'r')
    await ui.shows('[x] member')
    expect(ui.frame()).toContain('[ ] admin')
    ui.press('right', 'space')
    await ui.shows('[x] admin')
    ui.press('enter')
    await ui.shows(`${eve} is member, admin. u undoes it  ·  postern member role set`)
    expect((await membersOf(screens.own, acme.id))[2]).toEqual({ email: eve, roles: ['member', 'admin'], team: null })
  })

  test('no role at all is no answer, and the last owner stays one', async () => {
    const machine = await signedIn(screens.own)
    await screens.service.person({ email: eve })
    await organization(screens.service, 'Acme', { [ada]: 'owner', [eve]: 'member' })
    const ui = await openAcme(screens, { machine })
    ui.press('r')
    await ui.shows('[x] owner')
    ui.press('space', 'enter')
    await ui.shows('At least one role is needed')
    ui.press('right', 'space', 'enter')
    await ui.shows('the last owner has to stay')
    ui.press('esc')
    await ui.shows('[Members')
    ui.press('D')
    await ui.shows('Remove: the last owner has to stay')
    expect(screens.writes()).toEqual([])
  })

  test('t puts the selected one into a team by a picker', async () => {
    const acme = await acmeAt(screens.own)
    for (const name of ['Design', 'Build']) await createTeam(acme, name)
    const ui = await openAcme(screens, acme)
    ui.press('G', 't')
    expect(await ui.shows('Eve Moss: team')).toContain('Design')
    ui.press('down', 'enter')
    await ui.shows(`Put ${eve} into Build. u undoes it  ·  postern team member add`)
    await expect.poll(ui.frame).toMatch(/Eve Moss .* Build/)
    expect((await membersOf(screens.own, acme.id))[2]).toEqual({ email: eve, roles: ['member'], team: 'Build' })
  })

  test('/ filters, and x lists what can be done with its commands', async () => {
    const ui = await openAcme(screens, await acmeAt(screens.own))
    ui.press('/', 'moss', 'enter')
    await ui.hides('Bob Ross')
    ui.press('x')
    expect(await ui.shows('Change roles')).toContain('there is no team yet')
    expect(ui.frame()).toContain(`postern member remove ${eve}`)
  })

  test('what a role may not do stays listed, with the reason', async () => {
    const ui = await openAcme(screens, await acmeAt(screens.own, 'member'), { size: { columns: 160, rows: 24 } })
    expect(ui.frame()).toContain('D (remove)')
    ui.press('x')
    expect(await ui.shows('Change roles')).toContain('your role (member) lacks member:update')
    ui.press('esc', 'D')
    await ui.shows('Remove: your role (member) lacks member:delete')
    ui.press('c')
    await ui.shows('Invite somebody: your role (member) lacks invitation:create')
    expect(screens.writes()).toEqual([])
  })

  test('an admin gives no role that may more, and touches no owner', async () => {
    const ui = await openAcme(screens, await acmeAt(screens.own, 'admin'))
    ui.press('G', 'r')
    await ui.shows('[x] member')
    expect(ui.frame()).toContain('owner: only owners make owners')
    ui.press('left', 'right', 'space')
    await ui.shows('owner: only owners make owners')
    await ui.shows('[x] member')
    expect(ui.frame()).toContain('[ ] owner')
    ui.press('esc')
    await ui.shows('[Members')
    ui.press('g', 'D')
    await ui.shows('Remove: only owners remove owners')
    expect(screens.writes()).toEqual([])
  })

  test('names of strangers neither act on the terminal nor hide in it', async () => {
    const acme = await acmeAt(screens.own)
    const name = '\u001b[2J\u202eBob 日本👩‍👩‍👧'
    await screens.sql`update users set name = ${name} where email = ${bob}`
    const ui = await openAcme(screens, acme)
    const frame = await ui.shows('\\u001b[2J\\u{202e}Bob 日本👩‍👩‍👧')
    expect(frame).not.toContain('\u202e')
    expect(frame).not.toContain('\u001b[2J')
  })
})

test('what is asked and done is named by who is marked, not by where the selection is', async () => {
  const ui = await openAcme(screens, await acmeAt(screens.own))
  ui.press('j', 'space')
  await ui.shows('1 marked')
  ui.press('x')
  expect(await ui.shows(`postern member remove ${bob}`)).toContain('│ Bob Ross')
})

describe('invitations to me, at home', () => {
  /** Ada is invited to each of Bob's organizations but is a member of none. */
  async function invited(...names: string[]) {
    const [machine, person] = [await signedIn(screens.own), await screens.service.person({ email: bob })]
    for (const name of names) {
      const id = await organization(screens.service, name, { [bob]: 'owner' })
      await inviteTo({ bob: person, id }, ada)
    }
    return machine
  }

  test('one is accepted, another rejected after a yes', async () => {
    const machine = await invited('Acme', 'Beta')
    await verify(screens.own, ada)
    const screen = screens.open(machine)
    expect(await screen.shows('Invitation: Acme')).toContain(`as member, from ${bob}`)
    screen.press('enter')
    const [acmes] = await invitationsTo(screens.own, ada)
    await screen.shows(`postern invitation accept ${acmes?.['id']}`)
    screen.press('enter')
    await screen.shows('Joined Acme as member, the active organization now')
    await screen.hides('Invitation: Acme')
    screen.press('enter')
    await screen.shows('Reject')
    screen.press('down', 'enter')
    await screen.shows('Reject the invitation to Beta?')
    screen.press('y')
    await screen.shows('Rejected the invitation to Beta')
    await screen.hides('Invitation: Beta')
    expect(await invitationsTo(screens.own, ada)).toMatchObject([
      { organization: 'Acme', status: 'accepted' },
      { organization: 'Beta', status: 'rejected' },
    ])
    await screen.shows('you are in 1')
    expect(await sessionsOf(screens.own)).toMatchObject([{ activeOrganizationId: expect.any(String) }])
  })

  test('where they need a verified address, the way to one is behind the entry', async () => {
    const screen = screens.open(await invited('Acme'), { size: { columns: 80, rows: 24 } })
    await screen.shows('v mails a link; invitations are shown after that')
    screen.press('enter')
    await screen.shows('Verify or change an address with a link')
    screen.press('enter')
    await screen.shows(`A mail with a link is on its way to ${ada}`)
    screen.press('enter', 'down', 'enter')
    await screen.shows('Link or token')
    const { url } = await linkTo(screens.service, ada, 'verify-email')
    screen.press(`\u001b[200~${url}\u001b[201~`, 'enter', 'enter')
    expect(await screen.shows('Invitation: Acme')).toContain(`from ${bob}`)
  })
})
