import { afterEach, describe, expect, test } from 'vitest'
import { addInvitation } from '../testing/fake-invitations.ts'
import { addOrganization } from '../testing/fake-organization.ts'
import { FakeService } from '../testing/fake-service.ts'
import { type RenderOptions, renderTui, type Screen } from '../testing/render.tsx'

let screen: Screen
afterEach(() => screen.close())

const [ada, bob, eve] = ['ada@example.com', 'bob@example.com', 'eve@example.com'] as const
const writes = ({ asked }: FakeService) => asked.filter((line) => line.startsWith('POST'))

/** Ada in Acme with that role; Bob is another owner of it, Eve a member. */
function acme(role = 'owner') {
  const service = new FakeService()
  service.addPerson(bob, 'Bob Ross')
  service.addPerson(eve, 'Eve Moss')
  service.signIn(ada)
  const organization = addOrganization(service, 'Acme', { [ada]: role, [bob]: 'owner', [eve]: 'member' })
  return { service, organization }
}

async function openAcme(service: FakeService, options: RenderOptions = {}): Promise<Screen> {
  screen = renderTui({ service, screen: 'orgs', ...options })
  await screen.shows('Acme')
  screen.press('enter')
  await screen.shows('[Members')
  return screen
}

/** Goes on to that panel. */
async function tabTo(ui: Screen, title: string): Promise<void> {
  for (let count = 0; count < 5 && !ui.frame().includes(`[${title}`); count += 1) {
    ui.press('tab')
    // Not any other frame: what the service answers changes it as well.
    await ui.settled()
  }
}

describe('my organizations', () => {
  test('one is created by c, becomes the active one and stands in the top line', async () => {
    const service = new FakeService()
    service.signIn(ada)
    screen = renderTui({ service, screen: 'orgs' })
    await screen.shows('You are in no organization yet')
    screen.press('c')
    await screen.shows('You become its owner')
    screen.press('Acme Inc.\r', 'not a slug\r', '\r', '{"plan"\r')
    expect(await screen.shows('A slug has letters')).toContain('Metadata is a JSON object')
    expect(writes(service)).toEqual([])
    screen.press(...Array.from({ length: 10 }, () => 'backspace'), 'acme\r', '\r', ':"pro"}\r')
    await screen.shows("Created Acme Inc. (acme), the active organization now  ·  postern org create 'Acme Inc.'")
    await expect.poll(screen.frame).toMatch(/localhost:4100 {2}· {2}Acme Inc\. /)
    expect(service.organizations).toMatchObject([{ name: 'Acme Inc.', slug: 'acme', metadata: { plan: 'pro' } }])
  })

  test('o switches the active one from anywhere, also to none', async () => {
    const { service } = acme()
    addOrganization(service, 'Beta', { [ada]: 'member' })
    screen = renderTui({ service })
    await screen.shows('you are in 2')
    screen.press('o')
    expect(await screen.shows('Work in')).toContain('Work in no organization')
    screen.press('down', 'enter')
    await screen.shows('Using Beta (beta)  ·  postern org use beta')
    await expect.poll(screen.frame).toMatch(/localhost:4100 {2}· {2}Beta /)
    screen.press('o')
    await screen.shows('beta  now')
    screen.press('up', 'down', 'down', 'enter')
    await screen.shows('Using no organization  ·  postern org use -')
    expect(service.sessions[0]?.activeOrganizationId).toBeNull()
  })

  test('read-only mode creates, switches and invites nothing', async () => {
    const { service, organization } = acme()
    organization.teams.push({ id: 't1', name: 'Design' })
    const ui = await openAcme(service, { isReadOnly: true })
    ui.press('t')
    await ui.shows('Team: read-only mode is on')
    for (const key of ['c', 'r', 'D']) ui.press(key)
    await ui.shows('Remove: read-only mode is on')
    ui.press('o')
    await ui.shows('Work in')
    ui.press('enter')
    await ui.shows('read-only mode is on')
    expect(writes(service)).toEqual([])
  })
})

describe('members', () => {
  test('several marked ones go by a command, and after the address of the owner among them was typed', async () => {
    const { service, organization } = acme()
    const ui = await openAcme(service)
    ui.press('j', 'space', 'space')
    await ui.shows('2 marked')
    ui.press('D')
    expect(await ui.shows('Remove 2 members from the organization?')).toContain(
      `member remove ${bob} ${eve} --org acme`,
    )
    ui.press('y\r')
    await ui.shows('This is not the same text')
    ui.press('backspace', `${bob}\r`)
    await ui.shows('Removed 2 members')
    await ui.hides('Eve Moss')
    expect(organization.members.map(({ email }) => email)).toEqual([ada])
  })

  test('r chooses several roles, and what they were is chosen at first', async () => {
    const { service, organization } = acme()
    const ui = await openAcme(service)
    ui.press('G', 'r')
    await ui.shows('[x] member')
    expect(ui.frame()).toContain('[ ] admin')
    ui.press('right', 'space')
    await ui.shows('[x] admin')
    ui.press('enter')
    await ui.shows(`${eve} is member, admin  ·  postern member role set ${eve} member admin`)
    expect(organization.members[2]?.role).toBe('member,admin')
  })

  test('no role at all is no answer, and the last owner stays one', async () => {
    const { service, organization } = acme('member')
    organization.members.shift()
    organization.members.unshift({ id: 'm-ada', email: ada, role: 'owner', teamId: null })
    organization.members.splice(1, 1)
    const ui = await openAcme(service)
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
    expect(writes(service)).toEqual([])
  })

  test('t puts the selected one into a team by a picker', async () => {
    const { service, organization } = acme()
    organization.teams.push({ id: 't1', name: 'Design' }, { id: 't2', name: 'Build' })
    const ui = await openAcme(service)
    ui.press('G', 't')
    expect(await ui.shows('Eve Moss: team')).toContain('Design')
    ui.press('down', 'enter')
    await ui.shows(`Put ${eve} into Build  ·  postern team member add ${eve} --team Build --org acme`)
    await expect.poll(ui.frame).toMatch(/Eve Moss .* Build/)
    expect(organization.members[2]?.teamId).toBe('t2')
  })

  test('/ filters, and x lists what can be done with its commands', async () => {
    const { service } = acme()
    const ui = await openAcme(service)
    ui.press('/', 'moss', 'enter')
    await ui.hides('Bob Ross')
    ui.press('x')
    expect(await ui.shows('Give other roles')).toContain('there is no team yet')
    expect(ui.frame()).toContain(`postern member remove ${eve}`)
  })

  test('what a role may not do stays listed, with the reason', async () => {
    const { service } = acme('member')
    const ui = await openAcme(service)
    expect(ui.frame()).toContain('D (remove)')
    ui.press('x')
    expect(await ui.shows('Give other roles')).toContain('your role (member) lacks member:update')
    ui.press('esc', 'D')
    await ui.shows('Remove: your role (member) lacks member:delete')
    ui.press('c')
    await ui.shows('Invite somebody: your role (member) lacks invitation:create')
    expect(writes(service)).toEqual([])
  })

  test('an admin gives no role that may more, and touches no owner', async () => {
    const { service } = acme('admin')
    const ui = await openAcme(service)
    ui.press('G', 'r')
    await ui.shows('[x] member')
    expect(ui.frame()).toContain('owner: only owners make owners')
    ui.press('left', 'right', 'space')
    await ui.shows('owner: only owners make owners')
    await ui.shows('[x] member')
    expect(ui.frame()).toContain('[ ] owner')
    ui.press('esc')
    await ui.shows('[Members')
    ui.press('k', 'D')
    await ui.shows('Remove: only owners remove owners')
    expect(writes(service)).toEqual([])
  })

  test('names of strangers neither act on the terminal nor hide in it', async () => {
    const { service } = acme()
    service.addPerson(bob, '\u001b[2J\u202eBob 日本👩‍👩‍👧')
    const ui = await openAcme(service)
    const frame = await ui.shows('\\u001b[2J\\u{202e}Bob 日本👩‍👩‍👧')
    expect(frame).not.toContain('\u202e')
    expect(frame).not.toContain('\u001b[2J')
  })
})

describe('invitations', () => {
  test('one is sent with roles and a team, mailed again, and taken back', async () => {
    const { service, organization } = acme()
    organization.teams.push({ id: 't1', name: 'Design' })
    const ui = await openAcme(service)
    await tabTo(ui, 'Invitations')
    await ui.shows('Nobody was invited yet')
    ui.press('c')
    await ui.shows('A mail tells them how to accept')
    ui.press('Zoe@Example.com\r', 'right', 'space')
    await ui.shows('--role member,admin')
    ui.press('enter', 'right')
    await ui.shows('--team Design')
    ui.press('enter')
    await ui.shows('Invited zoe@example.com as member, admin')
    expect(await ui.shows('pending')).toContain('[Invitations 1]')
    expect(organization.invitations).toMatchObject([{ email: 'zoe@example.com', role: 'member,admin', teamId: 't1' }])
    ui.press('enter')
    await ui.shows('Mail it again')
    ui.press('enter')
    await ui.shows('Mailed zoe@example.com again')
    expect(organization.invitations).toMatchObject([{ mailed: 2, role: 'member,admin', teamId: 't1' }])
    ui.press('D')
    await ui.shows('Take the invitation of zoe@example.com back?')
    ui.press('y')
    await ui.shows('canceled')
    ui.press('D')
    await ui.shows('that of zoe@example.com is canceled already')
  })

  test('of an address that is invited already the refusal says what to do', async () => {
    const { service, organization } = acme()
    addInvitation(organization, 'zoe@example.com', ada)
    const ui = await openAcme(service)
    ui.press('c')
    await ui.shows('A mail tells them')
    ui.press('zoe@example.com\r\r\r')
    expect(await ui.shows('User is already invited')).toContain('mails it again')
  })
})

describe('teams, roles and settings', () => {
  test('a team is created, renamed, filled, emptied and deleted', async () => {
    const { service, organization } = acme()
    const ui = await openAcme(service)
    await tabTo(ui, 'Teams')
    await ui.shows('No team yet')
    ui.press('c')
    await ui.shows('postern team create NAME --org acme')
    ui.press('Design\r')
    await ui.shows('Created team Design  ·  postern team create Design --org acme')
    await ui.shows('[Teams 1]')
    ui.press('e')
    await ui.shows('Rename the team')
    ui.press(' Lab\r')
    await ui.shows("Team Design is now Design Lab  ·  postern team edit Design --name 'Design Lab' --org acme")
    ui.press('enter')
    await ui.shows('Nobody is in this team yet')
    ui.press('c')
    await ui.shows('Into Design Lab')
    ui.press('moss', 'enter')
    await ui.shows(`Put ${eve} into Design Lab`)
    await ui.shows('Eve Moss')
    ui.press('D')
    await ui.shows(`Take ${eve} out of Design Lab?`)
    ui.press('y')
    await ui.shows('Nobody is in this team yet')
    ui.press('esc')
    await ui.shows('[Teams 1]')
    ui.press('D')
    await ui.shows('Its members stay in the organization')
    ui.press('y')
    await ui.shows('No team yet')
    expect(organization.teams).toEqual([])
  })

  test('my own team is not mine to delete', async () => {
    const { service, organization } = acme()
    organization.teams.push({ id: 't1', name: 'Design' })
    organization.members[0]!.teamId = 't1'
    const ui = await openAcme(service)
    await tabTo(ui, 'Teams')
    ui.press('D')
    await ui.shows('Delete the team: you are in it yourself')
    expect(writes(service)).toEqual([])
  })

  test('the roles say what each may do', async () => {
    const ui = await openAcme(acme('admin').service)
    await tabTo(ui, 'Roles')
    const frame = await ui.shows('admin (yours)')
    expect(frame).toContain('organization: update; member: create, update, delete')
    expect(frame).toMatch(/member +look at it/)
  })

  test('only what was edited is sent, and an empty logo or metadata removes it', async () => {
    const { service, organization } = acme()
    Object.assign(organization, { name: 'Ac\u202eme', logo: 'https://a.example/l.png', metadata: { plan: 'pro' } })
    screen = renderTui({ service, screen: 'orgs' })
    await screen.shows('Ac\\u{202e}me')
    screen.press('enter')
    await screen.shows('[Members')
    await tabTo(screen, 'Settings')
    await screen.shows('{"plan":"pro"}')
    screen.press('e')
    await screen.shows('Logo URL')
    screen.press('\r', '-2\r', '\r', ...Array.from({ length: 14 }, () => 'backspace'))
    await screen.shows("--slug acme-2 --metadata ''")
    screen.press('\r')
    await screen.shows('Updated Ac\\u{202e}me (acme-2)  ·  postern org edit acme --slug acme-2')
    expect(organization).toMatchObject({ name: 'Ac\u202eme', slug: 'acme-2', metadata: null })
    expect(organization.logo).toBe('https://a.example/l.png')
  })

  test('leaving asks, and is refused to the last owner', async () => {
    const { service, organization } = acme()
    const ui = await openAcme(service)
    await tabTo(ui, 'Settings')
    ui.press('j', 'enter')
    await ui.shows('Leave Acme (acme)?')
    ui.press('y')
    await ui.shows('Left Acme (acme)  ·  postern org leave acme')
    await ui.shows('You are in no organization yet')
    expect(organization.members.map(({ email }) => email)).toEqual([bob, eve])
  })

  test('it is deleted only after its slug was typed', async () => {
    const { service } = acme()
    const ui = await openAcme(service)
    await tabTo(ui, 'Settings')
    ui.press('D')
    expect(await ui.shows('Type acme to do it')).toContain('postern org delete acme --confirm acme')
    ui.press('Acme\r')
    await ui.shows('This is not the same text')
    expect(service.organizations).toHaveLength(1)
    ui.press('backspace', 'backspace', 'backspace', 'backspace', 'acme\r')
    await ui.shows('Deleted Acme (acme)')
    await ui.shows('You are in no organization yet')
    expect(service.organizations).toEqual([])
  })

  test('an admin may edit it, not delete it; the reason is listed', async () => {
    const ui = await openAcme(acme('admin').service)
    await tabTo(ui, 'Settings')
    expect(await ui.shows('your role (admin) lacks organization:delete')).toContain('postern org edit')
  })
})

test('a service without teams says so, and their keys say why not', async () => {
  const { service } = acme()
  service.hasTeams = false
  const ui = await openAcme(service)
  expect(ui.frame()).not.toContain('Team ')
  ui.press('t')
  await ui.shows('Team: this service has no teams')
  await tabTo(ui, 'Teams')
  await ui.shows('This service has no teams.')
  ui.press('c')
  await ui.shows('Create a team: this service has no teams')
  expect(writes(service)).toEqual([])
})

test('what is asked and done is named by who is marked, not by where the selection is', async () => {
  const { service } = acme()
  const ui = await openAcme(service)
  ui.press('j', 'space')
  await ui.shows('1 marked')
  ui.press('x')
  expect(await ui.shows(`postern member remove ${bob}`)).toContain('│ Bob Ross')
})

test.each([
  { columns: 80, rows: 24 },
  { columns: 60, rows: 15 },
  { columns: 40, rows: 10 },
])('every panel fits a window of $columns by $rows and says which it is', async (size) => {
  const { service, organization } = acme()
  for (let count = 1; count <= 30; count += 1) addInvitation(organization, `guest${count}@example.com`, ada)
  const ui = await openAcme(service, { size })
  for (const title of ['Members', 'Invitations', 'Teams', 'Roles', 'Settings']) {
    await tabTo(ui, title)
    const lines = (await ui.shows(`[${title}`)).split('\n')
    expect(lines).toHaveLength(size.rows - 1)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(size.columns)
  }
})

describe('invitations to me, at home', () => {
  test('one is accepted, another rejected after a yes', async () => {
    const { service, organization } = acme()
    const beta = addOrganization(service, 'Beta', { [bob]: 'owner' })
    organization.members.shift()
    addInvitation(organization, ada, bob)
    addInvitation(beta, ada, bob)
    screen = renderTui({ service })
    expect(await screen.shows('Invitation: Acme')).toContain(`as member, from ${bob}`)
    screen.press('enter')
    await screen.shows(`postern invitation accept ${organization.invitations[0]?.id}`)
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
    expect(organization.invitations[0]?.status).toBe('accepted')
    expect(beta.invitations[0]?.status).toBe('rejected')
    await screen.shows('you are in 1')
  })

  test('where they need a verified address, the way to one is behind the entry', async () => {
    const { service, organization } = acme()
    organization.members.shift()
    addInvitation(organization, ada, bob)
    service.invitesVerified = true
    screen = renderTui({ service })
    await screen.shows('shown once your address is verified')
    screen.press('enter')
    await screen.shows('Verify or change address by a link')
    screen.press('enter')
    await screen.shows(`A mail with a link is on its way to ${ada}`)
    screen.press('enter', 'down', 'enter')
    await screen.shows('Link or token')
    screen.press(`\u001b[200~${service.mails.at(-1)?.url}\u001b[201~`, 'enter', 'enter')
    expect(await screen.shows('Invitation: Acme')).toContain(`from ${bob}`)
  })
})
