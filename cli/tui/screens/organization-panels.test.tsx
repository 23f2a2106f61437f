import { describe, expect, test } from 'vitest'
import { mailsTo, userOf } from '../../../server/testing/mailed.ts'
import { acmeAt, createTeam, doneByBob, inviteTo, openAcme, ownTeamsOnly, tabTo } from '../testing/acme.ts'
import { invitationsTo, membersOf, organizationsAt } from '../testing/kept.ts'
import { ada, bob, eve } from '../testing/people.ts'
import { unfolded } from '../testing/render.tsx'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens(ownTeamsOnly)

describe('invitations', () => {
  test('one is sent with roles and a team, mailed again, and taken back', async () => {
    const acme = await acmeAt(screens.own)
    await createTeam(acme, 'Design')
    const ui = await openAcme(screens, acme)
    await tabTo(ui, 'Invitations')
    await ui.shows('Nobody was invited yet')
    ui.press('c')
    await ui.shows('A mail tells them how to accept')
    ui.press('Zoe@Example.com\r', 'right', 'space')
    await ui.shows('--role member,admin')
    ui.press('enter', 'space')
    await ui.shows('--team Design')
    ui.press('enter')
    await ui.shows('Invited zoe@example.com as member, admin')
    expect(await ui.shows('pending')).toContain('[Invitations 1]')
    const asInvited = { organization: 'Acme', roles: ['member', 'admin'], team: 'Design' }
    expect(await invitationsTo(screens.own, 'zoe@example.com')).toMatchObject([{ ...asInvited, status: 'pending' }])
    ui.press('enter')
    await ui.shows('Mail it again')
    ui.press('enter')
    await ui.shows('Mailed zoe@example.com again')
    expect(await mailsTo(screens.service, 'zoe@example.com', 'invitation')).toHaveLength(2)
    expect(await invitationsTo(screens.own, 'zoe@example.com')).toMatchObject([{ ...asInvited, status: 'pending' }])
    ui.press('D')
    await ui.shows('Take the invitation of zoe@example.com back?')
    ui.press('y')
    await ui.shows('canceled')
    expect(await ui.hides('Expires ')).toContain('[Invitations 0]')
    ui.press('D')
    await ui.shows('that of zoe@example.com is canceled already')
    expect(await invitationsTo(screens.own, 'zoe@example.com')).toMatchObject([{ ...asInvited, status: 'canceled' }])
  })

  test('of an address that is invited already the refusal says what to do', async () => {
    const acme = await acmeAt(screens.own)
    await inviteTo(acme, 'zoe@example.com')
    const ui = await openAcme(screens, acme)
    ui.press('c')
    await ui.shows('A mail tells them')
    ui.press('zoe@example.com\r\r\r')
    expect(unfolded(await ui.shows('User is already invited'))).toContain('mails it again')
  })
})

describe('teams, roles and settings', () => {
  test('a team is created, renamed, filled, emptied and deleted', async () => {
    const acme = await acmeAt(screens.own)
    const ui = await openAcme(screens, acme)
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
    await ui.shows('Team Design is now Design Lab. u undoes it  ·  postern team edit Design --name')
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
    await ui.shows('The members stay in the organization')
    ui.press('y')
    await ui.shows('No team yet')
    expect(await screens.sql`select name from teams`).toEqual([])
  })

  test('a menu that another one leads to begins at its first line', async () => {
    const acme = await acmeAt(screens.own)
    for (const name of ['Design', 'Sales', 'Support']) await createTeam(acme, name)
    const ui = await openAcme(screens, acme)
    ui.press('x', 'j')
    await ui.shows('❯ Put into a team')
    ui.press('enter')
    expect(await ui.shows('Support')).toContain('❯ Design')
  })

  test('a team of mine becomes the active one, and its organization', async () => {
    const acme = await acmeAt(screens.own)
    const [teamId, { id: userId }] = [await createTeam(acme, 'Design'), await userOf(screens.service, ada)]
    await createTeam(acme, 'Sales')
    await doneByBob(acme, 'add-team-member', { teamId, userId })
    const ui = await openAcme(screens, acme)
    await tabTo(ui, 'Teams')
    ui.press('x')
    await ui.shows('Make it the active team')
    ui.press('down', 'down', 'enter')
    await ui.shows('Using team Design  ·  postern team use Design --org acme')
    const active =
      await screens.sql`select active_organization_id, active_team_id from sessions where user_id = ${userId}`
    expect(active.map((one) => ({ ...one }))).toEqual([{ activeOrganizationId: acme.id, activeTeamId: teamId }])
    await expect.poll(() => ui.frame()).toMatch(/Design .* yours, active/)
    ui.press('down', 'x')
    await ui.shows('you are not in it')
  })

  test('my own team is not mine to delete', async () => {
    const acme = await acmeAt(screens.own)
    const [teamId, { id: userId }] = [await createTeam(acme, 'Design'), await userOf(screens.service, ada)]
    await doneByBob(acme, 'add-team-member', { teamId, userId })
    const ui = await openAcme(screens, acme)
    await tabTo(ui, 'Teams')
    ui.press('D')
    await ui.shows('Delete the team: you are in it yourself')
    expect(screens.writes()).toEqual([])
  })

  test('the roles say what each may do', async () => {
    const ui = await openAcme(screens, await acmeAt(screens.own, 'admin'))
    await tabTo(ui, 'Roles')
    const frame = await ui.shows('admin (yours)')
    expect(frame).toContain('organization: update; member: create, update, delete')
    expect(frame).toMatch(/member +view it/)
  })

  test('while another role is marked, the menu does not lead to the selected one', async () => {
    const ui = await openAcme(screens, await acmeAt(screens.own))
    await tabTo(ui, 'Roles')
    ui.press('x')
    await ui.shows('Who holds it')
    ui.press('esc', 'space')
    await ui.shows('1 marked')
    ui.press('x')
    expect(await ui.shows('one at a time: another is marked')).not.toContain('Who holds it')
  })

  test('only what was edited is sent, and an empty logo or metadata removes it', async () => {
    const { machine } = await acmeAt(screens.own)
    const [name, logo, metadata] = ['Ac\u202eme', 'https://a.example/l.png', { plan: 'pro' }]
    const { sql } = screens.service.deps
    await sql`update organizations set name = ${name}, logo = ${logo}, metadata = ${sql.json(metadata)}`
    const screen = screens.open(machine, { screen: 'orgs' })
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
    await screen.shows('Updated Ac\\u{202e}me (acme-2). u undoes it  ·  postern org edit acme --slug acme-2')
    expect(await organizationsAt(screens.own)).toEqual([{ name, slug: 'acme-2', logo, metadata: null }])
  })

  test('a new name is in the breadcrumb at once', async () => {
    const ui = await openAcme(screens, await acmeAt(screens.own))
    await tabTo(ui, 'Settings')
    ui.press('e')
    await ui.shows('Logo URL')
    ui.press(' Works', 'enter', 'enter', 'enter', 'enter')
    await ui.shows('Updated Acme Works')
    expect(await ui.shows('Orgs › Acme Works')).toContain('[Settings')
  })

  test('leaving asks, and is refused to the last owner', async () => {
    const acme = await acmeAt(screens.own)
    const ui = await openAcme(screens, acme)
    await tabTo(ui, 'Settings')
    ui.press('j', 'enter')
    await ui.shows('Leave Acme (acme)?')
    ui.press('y')
    await ui.shows('Left Acme (acme)  ·  postern org leave acme')
    await ui.shows('You are in no organization yet')
    expect((await membersOf(screens.own, acme.id)).map(({ email }) => email)).toEqual([bob, eve])
  })

  test('it is deleted only after its slug was typed', async () => {
    const ui = await openAcme(screens, await acmeAt(screens.own))
    await tabTo(ui, 'Settings')
    ui.press('D')
    expect(await ui.shows('Type acme to confirm')).toContain('postern org delete acme --confirm acme')
    ui.press('Acme\r')
    await ui.shows('This does not match')
    expect(await organizationsAt(screens.own)).toHaveLength(1)
    ui.press('backspace', 'backspace', 'backspace', 'backspace', 'acme\r')
    await ui.shows('Deleted Acme (acme)')
    await ui.shows('You are in no organization yet')
    expect(await organizationsAt(screens.own)).toEqual([])
  })

  test('an admin may edit it, not delete it; the reason is listed', async () => {
    const ui = await openAcme(screens, await acmeAt(screens.own, 'admin'))
    await tabTo(ui, 'Settings')
    expect(await ui.shows('your role (admin) lacks organization:delete')).toContain('postern org edit')
  })
})

test('a service without teams says so, and their keys say why not', async () => {
  const ui = await openAcme(screens, await acmeAt(await screens.own.sibling({ TEAMS: 'off' })))
  expect(ui.frame()).not.toContain('Team ')
  ui.press('t')
  await ui.shows('Put into a team: this service has no teams')
  await tabTo(ui, 'Teams')
  await ui.shows('This service has no teams.')
  ui.press('c')
  await ui.shows('Create a team: this service has no teams')
  expect(screens.writes()).toEqual([])
})

test.each([
  { columns: 80, rows: 24 },
  { columns: 60, rows: 15 },
  { columns: 40, rows: 10 },
])('every panel fits a window of $columns by $rows and says which it is', async (size) => {
  const acme = await acmeAt(screens.own)
  await Promise.all(Array.from({ length: 30 }, (_, count) => inviteTo(acme, `guest${count}@example.com`)))
  const ui = await openAcme(screens, acme, { size })
  for (const title of ['Members', 'Invitations', 'Teams', 'Roles', 'Settings']) {
    await tabTo(ui, title)
    const lines = (await ui.shows(`[${title}`)).split('\n')
    expect(lines).toHaveLength(size.rows - 1)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(size.columns)
  }
})

test('the longest notice leaves what is selected to be seen in the smallest window', async () => {
  const acme = await acmeAt(screens.own)
  await screens.sql`update organizations set slug = 'acme-and-its-daughters-in-all-the-world'`
  const ui = await openAcme(screens, acme, { size: { columns: 40, rows: 10 } })
  ui.press('C')
  const lines = (await ui.shows('Copied the command')).split('\n')
  expect(lines).toHaveLength(9)
  expect(lines.filter((line) => line.includes('❯'))).toHaveLength(1)
  expect(lines.join('\n')).toContain('1–1 of 3')
  expect(lines.at(-1)).toMatch(/\S…$/)
})
