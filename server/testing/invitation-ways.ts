import { verifiedPerson } from './mailed.ts'
import { type Askers, path, someone, type Ways } from './organization-askers.ts'
import { found } from './organizations.ts'

/** How each listed failure of the calls about invitations is reached. */
export const invitationWays = ({
  service,
  withSettings,
  as,
  alone,
  outside,
  invited,
  unverified,
  ofSomebodyElse,
  meanwhile,
}: Askers): Ways => ({
  inviteMember: {
    INVALID_EMAIL: () => as('owner', (owner) => owner.post(path('invite-member'), { email: 'bob', role: 'member' })),
    ROLE_NOT_FOUND: () => as('owner', (owner) => owner.post(path('invite-member'), { email: someone(), role: ' ' })),
    ORGANIZATION_NOT_FOUND: () =>
      alone((person) => person.post(path('invite-member'), { email: someone(), role: 'member' })),
    MEMBER_NOT_FOUND: () =>
      outside((person, { id: organizationId }) =>
        person.post(path('invite-member'), { email: someone(), role: 'member', organizationId }),
      ),
    INVITATION_CREATE_FORBIDDEN: () =>
      as('member', (person) => person.post(path('invite-member'), { email: someone(), role: 'member' })),
    INVITATION_ROLE_FORBIDDEN: () =>
      as('admin', (person) => person.post(path('invite-member'), { email: someone(), role: 'owner' })),
    ALREADY_A_MEMBER: () =>
      as('owner', async (owner, { join }) =>
        owner.post(path('invite-member'), { email: (await join('member')).email, role: 'member' }),
      ),
    ALREADY_INVITED: () =>
      as('owner', async (owner, { invite }) => {
        const email = someone()
        await invite(email)
        return owner.post(path('invite-member'), { email: email.toUpperCase(), role: 'member' })
      }),
    TEAM_NOT_FOUND: () =>
      as('owner', (owner) => owner.post(path('invite-member'), { email: someone(), role: 'member', teamId: 'x' })),
    INVITATION_LIMIT_REACHED: async () => {
      const { owner, invite } = await found(await withSettings({ INVITATION_LIMIT: '1' }))
      await invite(someone())
      return owner.post(path('invite-member'), { email: someone(), role: 'member' })
    },
    TEAM_FULL: async () => {
      const { owner, teamId } = await found(await withSettings({ MAXIMUM_MEMBERS_PER_TEAM: '1' }))
      return owner.post(path('invite-member'), { email: someone(), role: 'member', teamId })
    },
  },
  acceptInvitation: {
    INVITATION_NOT_FOUND: () => alone((person) => person.post(path('accept-invitation'), { invitationId: 'x' })),
    NOT_THE_RECIPIENT: () =>
      ofSomebodyElse((invitationId, person) => person.post(path('accept-invitation'), { invitationId })),
    EMAIL_VERIFICATION_REQUIRED: () =>
      unverified((invitationId, person) => person.post(path('accept-invitation'), { invitationId })),
    INVITER_NOT_A_MEMBER: () =>
      invited(async (invitationId, person, { owner }) => {
        await service().deps.sql`delete from members where id = ${owner.memberId}`
        return person.post(path('accept-invitation'), { invitationId })
      }),
    INVITER_CANNOT_GRANT: () =>
      invited(async (invitationId, person, { owner }) => {
        await service().deps.sql`update members set roles = '{member}' where id = ${owner.memberId}`
        return person.post(path('accept-invitation'), { invitationId })
      }),
    INVITATION_NOT_RETRIEVED: () =>
      invited((invitationId, person, { id }) =>
        meanwhile(
          (tx) => tx`select from organizations where id = ${id} for update`,
          () => person.post(path('accept-invitation'), { invitationId }),
          (tx) => tx`delete from invitations where id = ${invitationId}`,
        ),
      ),
    ALREADY_A_MEMBER: () =>
      invited(async (invitationId, person, { id }) => {
        await service().deps.sql`
          insert into members (id, organization_id, user_id) select ${invitationId}, ${id}, id from users
          where email = ${person.email}
        `
        return person.post(path('accept-invitation'), { invitationId })
      }),
    MEMBERSHIP_LIMIT_REACHED: async () => {
      const small = await withSettings({ MEMBERSHIP_LIMIT: '1' })
      const [acme, person] = [await found(small), await verifiedPerson(small)]
      return person.post(path('accept-invitation'), { invitationId: await acme.invite(person.email) })
    },
    TEAM_FULL: async () => {
      const small = await withSettings({ MAXIMUM_MEMBERS_PER_TEAM: '1' })
      const [acme, person] = [await found(service()), await verifiedPerson(small)]
      const invitationId = await acme.invite(person.email, 'member', { teamId: acme.teamId })
      return person.post(path('accept-invitation'), { invitationId })
    },
    ORGANIZATION_LIMIT_REACHED: async () => {
      const [busy, acme] = [await withSettings({ ORGANIZATION_LIMIT: '1' }), await found(service())]
      const { owner } = await found(busy)
      return owner.post(path('accept-invitation'), { invitationId: await acme.invite(owner.email) })
    },
  },
  rejectInvitation: {
    INVITATION_NOT_FOUND_FOR_RECIPIENT: () =>
      alone((person) => person.post(path('reject-invitation'), { invitationId: 'x' })),
    NOT_THE_RECIPIENT: () =>
      ofSomebodyElse((invitationId, person) => person.post(path('reject-invitation'), { invitationId })),
    EMAIL_VERIFICATION_REQUIRED: () =>
      unverified((invitationId, person) => person.post(path('reject-invitation'), { invitationId })),
  },
  cancelInvitation: {
    INVITATION_NOT_FOUND: () => as('owner', (owner) => owner.post(path('cancel-invitation'), { invitationId: 'x' })),
    INVITATION_CANCEL_FORBIDDEN: () =>
      as('member', async (person, { invite }) =>
        person.post(path('cancel-invitation'), { invitationId: await invite(someone()) }),
      ),
  },
  getInvitation: {
    NOT_AUTHENTICATED: () => service().visitor().get(path('get-invitation?id=x')),
    INVITATION_NOT_FOUND_FOR_RECIPIENT: () => alone((person) => person.get(path('get-invitation?id=x'))),
    NOT_THE_RECIPIENT: () => ofSomebodyElse((id, person) => person.get(path(`get-invitation?id=${id}`))),
    EMAIL_VERIFICATION_REQUIRED: () => unverified((id, person) => person.get(path(`get-invitation?id=${id}`))),
    INVITER_NOT_A_MEMBER: () =>
      invited(async (id, person, { owner }) => {
        await service().deps.sql`delete from members where id = ${owner.memberId}`
        return person.get(path(`get-invitation?id=${id}`))
      }),
  },
  listInvitations: {
    ORGANIZATION_ID_REQUIRED: () => alone((person) => person.get(path('list-invitations'))),
    NOT_YOUR_ORGANIZATION: () => outside((person, { id }) => person.get(path(`list-invitations?organizationId=${id}`))),
  },
  listUserInvitations: {
    EMAIL_VERIFICATION_REQUIRED: () => alone((person) => person.get(path('list-user-invitations'))),
  },
})
