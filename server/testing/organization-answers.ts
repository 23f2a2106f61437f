import { verifiedPerson } from './mailed.ts'
import { type Founded, found, type Insider, newSlug, serverHeaders } from './organizations.ts'
import type { TestService } from './service.ts'
import type { Reply, Visitor } from './visitor.ts'

/** What an organization is made from, with everything in it. */
const whole = { name: 'Acme', logo: 'https://example.com/a.png', metadata: { plan: 'pro' } }
const path = (call: string) => `/organization/${call}`
const someone = () => `bob-${crypto.randomUUID()}@example.com`

type AsOwner = (ask: (owner: Insider) => Promise<Reply>) => Promise<Reply>

function roleAnswers(asOwner: AsOwner): Record<string, () => Promise<Reply>> {
  const editor = { role: 'editor', permission: { team: ['create'] } }
  const withRole = (ask: (owner: Insider) => Promise<Reply>) => () =>
    asOwner(async (owner) => {
      await owner.post(path('create-role'), editor)
      await owner.post(path('update-role'), { roleName: 'editor', data: { permission: { team: ['update'] } } })
      return ask(owner)
    })
  return {
    listRoles: withRole((owner) => owner.get(path('list-roles'))),
    getRole: withRole((owner) => owner.get(path('get-role?roleName=editor'))),
    createRole: () => asOwner((owner) => owner.post(path('create-role'), editor)),
    updateRole: withRole((owner) =>
      owner.post(path('update-role'), { roleName: 'editor', data: { roleName: 'writer' } }),
    ),
    deleteRole: withRole((owner) => owner.post(path('delete-role'), { roleName: 'editor' })),
  }
}

/** One answer of each call about organizations, with everything in it that it can have. */
export function organizationAnswers(service: () => TestService): Record<string, () => Promise<Reply>> {
  const asOwner = async (ask: (owner: Insider, acme: Founded) => Promise<Reply>) => {
    const acme = await found(service(), whole)
    return ask(acme.owner, acme)
  }
  /** With a member and an invitation besides. */
  const inFull = (ask: (owner: Insider) => Promise<Reply>) =>
    asOwner(async (owner, { invite, teamId }) => {
      await invite(someone(), 'member', { teamId })
      return ask(owner)
    })
  const asMember = (ask: (member: Insider, acme: Founded) => Promise<Reply>) =>
    asOwner(async (_owner, acme) => ask(await acme.join('member', acme.teamId ?? undefined), acme))
  const asInvited = (ask: (id: string, person: Visitor) => Promise<Reply>) =>
    asOwner(async (_owner, { invite, teamId }) => {
      const person = await verifiedPerson(service())
      return ask(await invite(person.email, 'admin,member', { teamId }), person)
    })
  return {
    create: async () => (await verifiedPerson(service())).post(path('create'), { ...whole, slug: newSlug() }),
    checkSlug: () => asOwner((owner) => owner.post(path('check-slug'), { slug: newSlug() })),
    update: () => asOwner((owner) => owner.post(path('update'), { data: { name: 'Acme Ltd' } })),
    remove: () => asOwner((owner, { id: organizationId }) => owner.post(path('delete'), { organizationId })),
    list: () => asOwner((owner) => owner.get(path('list'))),
    getOrganization: () => inFull((owner) => owner.get(path('get-organization'))),
    getFullOrganization: () => inFull((owner) => owner.get(path('get-full-organization'))),
    setActive: () => inFull((owner) => owner.post(path('set-active'))),
    hasPermission: () => asOwner((owner) => owner.post(path('has-permission'), { permissions: { team: ['create'] } })),
    ...roleAnswers(asOwner),
    addMember: () =>
      asOwner(async (_owner, { id: organizationId, teamId }) => {
        const { owner } = await found(service())
        const member = { userId: owner.userId, role: 'member', organizationId, teamId }
        return service().visitor().post(path('add-member'), member, serverHeaders)
      }),
    listMembers: () => asOwner((owner) => owner.get(path('list-members'))),
    getActiveMemberRole: () => asOwner((owner) => owner.get(path('get-active-member-role'))),
    getActiveMember: () => asOwner((owner) => owner.get(path('get-active-member'))),
    removeMember: () =>
      asMember(({ memberId }, { owner }) => owner.post(path('remove-member'), { memberIdOrEmail: memberId })),
    updateMemberRole: () =>
      asMember(({ memberId }, { owner }) => owner.post(path('update-member-role'), { memberId, role: 'admin' })),
    leave: () => asMember((member, { id: organizationId }) => member.post(path('leave'), { organizationId })),
    inviteMember: () =>
      asOwner((owner, { teamId }) =>
        owner.post(path('invite-member'), { email: someone(), role: ['admin', 'member'], teamId }),
      ),
    acceptInvitation: () =>
      asInvited((invitationId, person) => person.post(path('accept-invitation'), { invitationId })),
    rejectInvitation: () =>
      asInvited((invitationId, person) => person.post(path('reject-invitation'), { invitationId })),
    cancelInvitation: () =>
      asOwner(async (owner, { invite }) =>
        owner.post(path('cancel-invitation'), { invitationId: await invite(someone()) }),
      ),
    getInvitation: () => asInvited((id, person) => person.get(path(`get-invitation?id=${id}`))),
    listInvitations: () => inFull((owner) => owner.get(path('list-invitations'))),
    listUserInvitations: () => asInvited((_id, person) => person.get(path('list-user-invitations'))),
    createTeam: () => asOwner((owner) => owner.post(path('create-team'), { name: 'Red' })),
    removeTeam: () =>
      asOwner(async (owner) => {
        const { id: teamId } = (await owner.post(path('create-team'), { name: 'Red' })).body
        return owner.post(path('remove-team'), { teamId })
      }),
    updateTeam: () =>
      asOwner((owner, { teamId }) => owner.post(path('update-team'), { teamId, data: { name: 'Red' } })),
    listTeams: () => asOwner((owner) => owner.get(path('list-teams'))),
    addTeamMember: () =>
      asOwner(async (owner, { teamId, join }) =>
        owner.post(path('add-team-member'), { teamId, userId: (await join('member')).userId }),
      ),
    removeTeamMember: () =>
      asOwner((owner, { teamId }) => owner.post(path('remove-team-member'), { teamId, userId: owner.userId })),
    listTeamMembers: () => asOwner((owner, { teamId }) => owner.get(path(`list-team-members?teamId=${teamId}`))),
    setActiveTeam: () => asOwner((owner, { teamId }) => owner.post(path('set-active-team'), { teamId })),
    listUserTeams: () => asOwner((owner) => owner.get(path('list-user-teams'))),
  }
}
