import { adminOf, type Somebody } from '../admins.ts'
import { organizationKey, ownKey } from '../machines.ts'
import { verifiedPerson } from '../mailed.ts'
import { done, type Founded, found, type Insider, newSlug, type Person } from '../organizations.ts'
import { type TestService, testPassword } from '../service.ts'
import type { Visitor } from '../visitor.ts'

/** An organization with some of everything. */
export interface World {
  readonly acme: Founded
  readonly owner: Insider
  readonly member: Insider
  readonly guest: Person
  readonly admin: Somebody
}

const trust = (organizationId: string, name = 'pipeline') => ({
  name,
  organizationId,
  issuer: 'https://gitlab.com',
  claims: { project_path: 'acme/site' },
  role: 'member',
})

export async function makeWorld(service: TestService): Promise<World> {
  const acme = await found(service)
  const member = await acme.join('member', acme.teamId ?? undefined)
  const [guest, admin] = [await verifiedPerson(service), await adminOf(service)]
  await acme.invite(guest.email)
  await organizationKey(acme)
  await ownKey(acme.owner)
  await done(acme.owner.post('/key/trust/create', trust(acme.id)))
  return { acme, owner: acme.owner, member, guest, admin }
}

type ListOf = (world: World) => readonly [reader: Visitor, path: string]

/** Each list that a replica may answer. */
export const lists: Readonly<Record<string, ListOf>> = {
  'organizations of a person': ({ owner }) => [owner, '/organization/list'],
  'an organization by id': ({ member, acme }) => [
    member,
    `/organization/get-full-organization?organizationId=${acme.id}`,
  ],
  'an organization by slug': ({ member, acme }) => [
    member,
    `/organization/get-full-organization?organizationSlug=${acme.slug}`,
  ],
  members: ({ member, acme }) => [member, `/organization/list-members?organizationId=${acme.id}&limit=1`],
  invitations: ({ owner, acme }) => [owner, `/organization/list-invitations?organizationId=${acme.id}`],
  'invitations to a person': ({ guest }) => [guest, '/organization/list-user-invitations'],
  teams: ({ member, acme }) => [member, `/organization/list-teams?organizationId=${acme.id}`],
  'teams of a person': ({ member }) => [member, '/organization/list-user-teams'],
  'members of a team': ({ member, acme }) => [member, `/organization/list-team-members?teamId=${acme.teamId}`],
  'keys of an organization': ({ owner, acme }) => [owner, `/key/list?organizationId=${acme.id}`],
  'keys of a person': ({ owner }) => [owner, '/key/list'],
  'trust rules': ({ owner, acme }) => [owner, `/key/trust/list?organizationId=${acme.id}`],
  users: ({ admin }) => [admin, '/admin/list-users?limit=2&sortBy=email'],
}

interface Written {
  /** Who wrote, with their cookies of then. */
  readonly by: Visitor
  /** The list in which it shows. */
  readonly path: string
  readonly wanted: { readonly text: string; readonly isThere: boolean }
}

type Write = (world: World, at: <P extends Visitor>(person: P) => P) => Promise<Written>

const there = (text: string) => ({ text, isThere: true })
const gone = (text: string) => ({ text, isThere: false })

const create = async (world: World, by: Visitor, call: string, fields: object) =>
  done(by.post(call, { organizationId: world.acme.id, ...fields }))

/** Writes whose author looks for them in a list. */
export const writes: Readonly<Record<string, Write>> = {
  'a new organization': async ({ owner }, at) => {
    const { id } = await done(at(owner).post('/organization/create', { name: 'New', slug: newSlug() }))
    return { by: owner, path: '/organization/list', wanted: there(id) }
  },
  'a new name of an organization': async (world, at) => {
    const name = newSlug()
    await create(world, at(world.owner), '/organization/update', { data: { name } })
    const path = `/organization/get-full-organization?organizationId=${world.acme.id}`
    return { by: world.owner, path, wanted: there(name) }
  },
  'a new team': async (world, at) => {
    const { id } = await create(world, at(world.owner), '/organization/create-team', { name: 'Red' })
    return { by: world.owner, path: `/organization/list-teams?organizationId=${world.acme.id}`, wanted: there(id) }
  },
  'a member in a team': async (world, at) => {
    const { acme, owner } = world
    await create(world, at(owner), '/organization/add-team-member', { teamId: acme.teamId, userId: owner.userId })
    // The founder is in it already: out of it, they are no longer listed.
    await create(world, at(owner), '/organization/remove-team-member', { teamId: acme.teamId, userId: owner.userId })
    return { by: owner, path: `/organization/list-team-members?teamId=${acme.teamId}`, wanted: gone(owner.memberId) }
  },
  'a new invitation': async (world, at) => {
    const email = `${newSlug()}@example.com`
    await create(world, at(world.owner), '/organization/invite-member', { email, role: 'member' })
    const path = `/organization/list-invitations?organizationId=${world.acme.id}`
    return { by: world.owner, path, wanted: there(email) }
  },
  'an invitation that was turned down': async ({ guest }, at) => {
    const [{ id }] = await done(guest.get('/organization/list-user-invitations'))
    await done(at(guest).post('/organization/reject-invitation', { invitationId: id }))
    return { by: guest, path: '/organization/list-user-invitations', wanted: gone(id) }
  },
  'a name of one’s own': async ({ acme, member }, at) => {
    const name = newSlug()
    await done(at(member).post('/update-user', { name }))
    return { by: member, path: `/organization/list-members?organizationId=${acme.id}`, wanted: there(name) }
  },
  'a key of one’s own': async ({ owner }, at) => {
    const { id } = await done(at(owner).post('/key/create', { name: 'laptop' }))
    return { by: owner, path: '/key/list', wanted: there(id) }
  },
  'a key of an organization that ended': async ({ acme, owner }, at) => {
    const [{ id }] = await done(owner.get(`/key/list?organizationId=${acme.id}`))
    await done(at(owner).post('/key/revoke', { keyId: id }))
    return { by: owner, path: `/key/list?organizationId=${acme.id}`, wanted: gone(id) }
  },
  'a trust rule': async ({ acme, owner }, at) => {
    const { id } = await done(at(owner).post('/key/trust/create', trust(acme.id, 'second')))
    return { by: owner, path: `/key/trust/list?organizationId=${acme.id}`, wanted: there(id) }
  },
  'a new user': async ({ admin }, at) => {
    const email = `${newSlug()}@example.com`
    await done(at(admin).post('/admin/create-user', { email, password: testPassword, name: 'New' }))
    return { by: admin, path: `/admin/list-users?searchValue=${email}`, wanted: there(email) }
  },
  'a removed member': async ({ acme, owner, member }, at) => {
    const { memberId } = member
    await done(at(owner).post('/organization/remove-member', { memberIdOrEmail: memberId, organizationId: acme.id }))
    return { by: owner, path: `/organization/list-members?organizationId=${acme.id}`, wanted: gone(memberId) }
  },
}
