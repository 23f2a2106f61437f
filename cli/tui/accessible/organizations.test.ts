import { afterEach, beforeAll, expect, test } from 'vitest'
import { done } from '../../../server/testing/organizations.ts'
import { bundle } from '../../testing/bundle.ts'
import { dialogueWith, type LineDialogue } from '../../testing/line-dialogue.ts'
import { type Pty, startPty } from '../../testing/pty.ts'
import { organization } from '../testing/organizations.ts'
import { ada, bob, signedIn, verify } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens({ DEFAULT_TEAM: 'off' })
let fixture: string
let pty: Pty
let answer: LineDialogue['answer']
let choose: LineDialogue['choose']
beforeAll(async () => {
  fixture = await bundle(new URL('../testing/tui.fixture.ts', import.meta.url))
})
afterEach(() => pty.close())

/** Ada's Acme, where Bob is a member, and his Beta, which she is invited to. */
async function start(): Promise<void> {
  const { service } = screens.own
  const machine = await signedIn(screens.own)
  await verify(screens.own, ada)
  const person = await service.person({ email: bob })
  await service.deps.sql`update users set name = ${'\u001b[2JBob'} where email = ${bob}`
  await organization(service, 'Acme', { [ada]: 'owner', [bob]: 'member' })
  const organizationId = await organization(service, 'Beta', { [bob]: 'owner' })
  await done(person.post('/organization/invite-member', { organizationId, email: ada, role: 'member' }))
  await machine('team create Design --org acme')
  const env = { ...machine.env, POSTERN_ACCESSIBLE: '1' }
  pty = startPty(process.execPath, [fixture], { rows: 90, columns: 160, env })
  ;({ answer, choose } = dialogueWith(pty))
}

const kept = () => screens.sql`
  select o.name, u.email, m.roles from organizations o join members m on m.organization_id = o.id join users u on u.id = m.user_id
  order by o.name, u.email
`

test('an organization in a conversation: roles, a team, an invitation, deletion by its slug', async () => {
  await start()
  await choose('Organizations')
  await choose('Acme (acme)')
  await pty.shows('Acme (acme). Your role: owner.')
  await choose('Members, 2')
  expect(await pty.shows('\\u001b[2JBob')).not.toContain('\u001b')
  await choose(`${bob}, member`)
  await choose('Give other roles')
  await answer('Roles (owner, admin, member; several with commas) [member]:', 'admin, king')
  await pty.shows('Roles: there is no king.')
  await answer('[member]:', 'admin, member')
  await pty.shows(`${bob} is admin, member. The same as: postern member role set ${bob} admin member --org acme`)
  await choose('Members, 2')
  await choose(`${bob}, admin, member`)
  await choose('Put into the team Design')
  await pty.shows(`Put ${bob} into Design.`)
  await choose('Invitations, 0')
  await choose('Invite somebody')
  await answer('E-mail:', 'zoe@example.com')
  await answer('[member]:', '')
  await answer('Team (none, Design):', 'Design')
  await pty.shows('Invited zoe@example.com as member. The same as: postern invitation create zoe@example.com')
  await choose('Invitations, 1')
  await choose('zoe@example.com, pending, as member')
  await choose('Cancel')
  await answer('y for yes, anything else for no:', 'y')
  await pty.shows('Took the invitation of zoe@example.com back.')
  const [invitation] = await screens.sql`select status from invitations where email = 'zoe@example.com'`
  expect(invitation).toEqual({ status: 'canceled' })
  expect(await kept()).toContainEqual({ name: 'Acme', email: bob, roles: ['admin', 'member'] })
  await choose('Delete the organization')
  await answer('Type acme to do it:', 'acme')
  await pty.shows('Deleted Acme (acme). The same as: postern org delete acme --confirm acme')
  await answer('Number:', '0')
  expect(await pty.exit).toEqual({ exitCode: 0, signal: 0 })
  expect(await kept()).toEqual([{ name: 'Beta', email: bob, roles: ['owner'] }])
})

test('an invitation to me is accepted, and what my role may not do is refused with the reason', async () => {
  await start()
  await choose('Invitations to you')
  await choose('Accept Beta, as member, from bob@example.com')
  await pty.shows('Joined Beta as member, the active organization now. The same as: postern invitation accept')
  await choose('Organizations')
  await choose('Beta (beta)')
  await pty.shows('Delete the organization (refused: your role (member) lacks organization:delete)')
  await choose('Make it the active one')
  await pty.shows('Using Beta (beta). The same as: postern org use beta')
  await choose('Members, 2')
  await pty.shows(`Ada Lovelace  ${ada}, member`)
  await choose('Invite somebody')
  await pty.shows('Invite somebody: your role (member) lacks invitation:create.')
  await answer('Number:', '0')
  await choose('Back')
  await pty.shows('Working in Beta.')
  await answer('Number:', '0')
  expect(await pty.exit).toEqual({ exitCode: 0, signal: 0 })
  expect(await kept()).toMatchObject([
    { name: 'Acme', email: ada },
    { name: 'Acme', email: bob },
    { name: 'Beta', email: ada, roles: ['member'] },
    { name: 'Beta', email: bob, roles: ['owner'] },
  ])
})
