import { expect, test } from 'vitest'
import { done } from '../../../server/testing/organizations.ts'
import { joinLongAgo } from '../../../server/testing/rows.ts'
import { useConversation } from '../testing/conversation.ts'
import { organization } from '../testing/organizations.ts'
import { ada, bob, signedIn, verify } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens({ DEFAULT_TEAM: 'off' })
const { start, answer, choose, shows, exit } = useConversation()

/** Ada's Acme with Bob as a member, and Bob's Beta with an invitation for Ada. */
async function begin(): Promise<void> {
  const { service } = screens.own
  const machine = await signedIn(screens.own)
  await verify(screens.own, ada)
  const person = await service.person({ email: bob })
  await service.deps.sql`update users set name = ${'\u001b[2JBob'} where email = ${bob}`
  await organization(service, 'Acme', { [ada]: 'owner', [bob]: 'member' })
  const organizationId = await organization(service, 'Beta', { [bob]: 'owner' })
  await done(person.post('/organization/invite-member', { organizationId, email: ada, role: 'member' }))
  await machine('team create Design --org acme')
  start(machine)
}

const kept = () => screens.sql`
  select o.name, u.email, m.roles from organizations o join members m on m.organization_id = o.id join users u on u.id = m.user_id
  order by o.name, u.email
`

test('an organization in a conversation: roles, a team, an invitation, deletion by its slug', async () => {
  await begin()
  await choose('Organizations')
  await choose('Acme, slug acme')
  await shows('Acme (acme). Your role: owner.')
  await choose('Members, 2')
  expect(await shows('\\u001b[2JBob')).not.toContain('\u001b')
  await choose(`email ${bob}, roles member`)
  await choose('Change roles')
  await answer('Roles (owner, admin, member; several with commas) [member]:', 'admin, king')
  await shows('Roles: there is no king.')
  await answer('[member]:', 'admin, member')
  await shows(`${bob} is admin, member. The same as: postern member role set ${bob} admin member --org acme`)
  await choose(`email ${bob}, roles admin, member`)
  await choose('Put into a team')
  await choose('Design')
  await shows(`Put ${bob} into Design.`)
  await shows('u instead of a number undoes it.')
  await answer('Number:', 'u')
  await shows(
    `Undone: Took ${bob} out of Design. The same as: postern team member remove ${bob} --team Design --org acme`,
  )
  await choose('Back')
  await choose('Invitations, 0')
  await choose('Invite somebody')
  await shows('Like ada@example.com, ben@example.com.')
  await answer('Email:', 'zoe@example.com')
  await answer('[member]:', '')
  await answer('Teams (Design; several with commas):', 'Design')
  await shows('Invited zoe@example.com as member. The same as: postern invitation create zoe@example.com')
  await choose('zoe@example.com, status pending, roles member')
  await choose('Cancel')
  await answer('y for yes, anything else for no:', 'y')
  await shows('Took the invitation of zoe@example.com back.')
  const [invitation] = await screens.sql`select status from invitations where email = 'zoe@example.com'`
  expect(invitation).toEqual({ status: 'canceled' })
  expect(await kept()).toContainEqual({ name: 'Acme', email: bob, roles: ['admin', 'member'] })
  await choose('Back')
  await choose('Delete the organization')
  await answer('Type acme to confirm:', 'acme')
  await shows('Deleted Acme (acme). The same as: postern org delete acme --confirm acme')
  await choose('Back')
  await answer('Number:', '0')
  expect(await exit()).toEqual({ exitCode: 0, signal: 0 })
  expect(await kept()).toEqual([{ name: 'Beta', email: bob, roles: ['owner'] }])
})

test('an invitation to me is accepted, and what my role may not do is refused with the reason', async () => {
  await begin()
  await shows(' in the last 24 hours.')
  await choose('Invitations to you')
  await choose('Accept Beta, as member, from bob@example.com')
  await shows('Joined Beta as member, the active organization now. The same as: postern invitation accept')
  await shows('0 invitations.')
  await choose('Back')
  await choose('Organizations')
  await choose('Beta, slug beta')
  await shows('Delete the organization (refused: your role (member) lacks organization:delete)')
  await choose('Make it the active one')
  await shows('Using Beta (beta). The same as: postern org use beta')
  await choose('Members, 2')
  await shows(`Ada Lovelace (you), email ${ada}, roles member`)
  await choose('Invite somebody')
  await shows('Invite somebody: your role (member) lacks invitation:create.')
  await answer('Number:', '0')
  await choose('Back')
  await choose('Back')
  await shows('Working in Beta.')
  await answer('Number:', '0')
  expect(await exit()).toEqual({ exitCode: 0, signal: 0 })
  expect(await kept()).toMatchObject([
    { name: 'Acme', email: ada },
    { name: 'Acme', email: bob },
    { name: 'Beta', email: ada, roles: ['member'] },
    { name: 'Beta', email: bob, roles: ['owner'] },
  ])
})

test('who was not seen lately is told at the start, and listed among the members', async () => {
  const machine = await signedIn(screens.own)
  await verify(screens.own, ada)
  await screens.service.person({ email: bob })
  const id = await organization(screens.service, 'Acme', { [ada]: 'owner', [bob]: 'member' })
  await joinLongAgo(screens.service, id, 'walt')
  start(machine)
  await shows('Members of Acme: 1 not seen for 30 days.')
  await choose('Organizations')
  await choose('Acme, slug acme')
  await choose('Members, 3')
  await choose('Not seen for 30 days')
  const list = await shows('1 member.')
  expect(list.slice(list.lastIndexOf('1 member.'))).not.toContain(bob)
  await choose('walt, email walt@example.com')
  await choose('Remove')
  await answer('y for yes, anything else for no:', 'y')
  await shows('0 members.')
})
