import { randomUUID } from 'node:crypto'
import { organizationClient } from 'better-auth/client/plugins'
import { expect, it } from 'vitest'
import { linkTo } from '../../testing/mailed.ts'
import { pathsOf, signUpWith } from '../../testing/reference-client.ts'
import { useTestService, useWire } from '../../testing/use-service.ts'

const service = useTestService()
const wire = useWire(service)

/** Paths that the client asked for. */
const asked = new Set<string>()

/** Somebody with a proven mailbox. */
async function person() {
  const { methods: organization, ...person } = await signUpWith(
    wire.origin,
    'organization',
    organizationClient(),
    asked,
  )
  await person.client.sendVerificationEmail({ email: person.email })
  const { token } = await linkTo(service, person.email, 'verify-email')
  await person.client.verifyEmail({ query: { token } })
  return { ...person, organization }
}

it('the reference client makes an organization and lives in it, by every method that it has', async () => {
  const [ann, bob] = [await person(), await person()]
  const slug = randomUUID()
  expect(await ann.ask('checkSlug', { slug })).toEqual({ status: true })
  const made = await ann.ask('create', { name: 'Acme', slug, metadata: { plan: 'pro' } })
  expect(made).toMatchObject({
    slug,
    metadata: { plan: 'pro' },
    createdAt: expect.any(Date),
    members: [{ role: 'owner' }],
  })
  expect((await ann.organization.checkSlug!({ slug })).error).toMatchObject({ code: 'SLUG_IS_TAKEN', status: 400 })
  expect(await ann.ask('update', { data: { name: 'Ltd' } })).toMatchObject({ id: made.id, name: 'Ltd' })
  expect(await ann.ask('list')).toMatchObject([{ id: made.id, createdAt: expect.any(Date) }])

  const [team] = await ann.ask('listTeams', { query: { organizationId: made.id } })
  const red = await ann.ask('createTeam', { name: 'Red' })
  expect(await ann.ask('updateTeam', { teamId: red.id, data: { name: 'Blue' } })).toMatchObject({ name: 'Blue' })

  const invited = await ann.ask('inviteMember', { email: bob.email, role: ['admin', 'member'], teamId: team.id })
  expect(invited).toMatchObject({ role: 'admin,member', status: 'pending', expiresAt: expect.any(Date) })
  expect(await ann.ask('listInvitations', { query: {} })).toMatchObject([{ id: invited.id }])
  expect(await bob.ask('getInvitation', { query: { id: invited.id } })).toMatchObject({ organizationName: 'Ltd' })
  const { member } = await bob.ask('acceptInvitation', { invitationId: invited.id })
  expect(member).toMatchObject({ role: 'admin,member', teamId: team.id })
  expect(await bob.ask('getActiveMember')).toMatchObject({ id: member.id, user: { email: bob.email } })

  const full = await bob.ask('getFullOrganization', { query: { organizationSlug: slug } })
  expect(full).toMatchObject({
    id: made.id,
    members: [{ role: 'owner' }, { id: member.id }],
    teams: [{ id: team.id }, { id: red.id }],
  })
  expect(await bob.ask('setActive', { organizationId: null })).toBeNull()
  expect(await bob.ask('setActive', { organizationId: made.id })).toMatchObject({ id: made.id })
  expect(await bob.ask('hasPermission', { permissions: { team: ['create'] } })).toEqual({ error: null, success: true })
  expect(await bob.ask('hasPermission', { permission: { organization: ['delete'] } })).toMatchObject({ success: false })
  expect(bob.organization.checkRolePermission({ role: 'admin', permissions: { team: ['create'] } })).toBe(true)

  expect(await ann.ask('updateMemberRole', { memberId: member.id, role: 'member' })).toMatchObject({ role: 'member' })
  expect((await bob.organization.inviteMember!({ email: 'x@y.zz', role: 'member' })).error).toMatchObject({
    status: 403,
    message: 'You are not allowed to invite users to this organization',
  })
  expect(await ann.ask('removeTeam', { teamId: red.id })).toEqual({ message: 'Team removed successfully.' })
  expect(await ann.ask('removeMember', { memberIdOrEmail: bob.email })).toMatchObject({ member: { id: member.id } })
  expect((await bob.organization.getActiveMember!()).error).toMatchObject({
    code: 'NO_ACTIVE_ORGANIZATION',
    status: 400,
  })

  const again = await ann.ask('inviteMember', { email: bob.email, role: 'member' })
  expect(await ann.ask('cancelInvitation', { invitationId: again.id })).toMatchObject({ status: 'canceled' })
  const third = await ann.ask('inviteMember', { email: bob.email, role: 'member' })
  expect(await bob.ask('rejectInvitation', { invitationId: third.id })).toMatchObject({
    invitation: { status: 'rejected' },
    member: null,
  })
  const last = await ann.ask('inviteMember', { email: bob.email, role: 'member' })
  await bob.ask('acceptInvitation', { invitationId: last.id })
  expect(await bob.ask('leave', { organizationId: made.id })).toMatchObject({ user: { email: bob.email } })
  expect((await ann.organization.leave!({ organizationId: made.id })).error).toMatchObject({
    code: 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
  })
  expect(await ann.ask('delete', { organizationId: made.id })).toMatchObject({ id: made.id })
  expect(await ann.ask('list')).toEqual([])
  expect((await ann.client.getSession()).data?.session).toMatchObject({ activeOrganizationId: null })
})

/** Ours beside those of the reference. */
const others = ['list-members', 'list-roles', 'list-user-invitations', 'list-team-members', 'add-team-member']
const newer = ['get-organization', 'get-active-member-role', 'create-role', 'get-role', 'update-role', 'delete-role']
const beside = [
  ...others,
  ...newer,
  'remove-team-member',
  'set-active-team',
  'list-user-teams',
  'add-member',
  'list-activity',
]

it('has asked every call that the reference has', () => {
  expect(asked).toEqual(pathsOf('organization', beside))
})
