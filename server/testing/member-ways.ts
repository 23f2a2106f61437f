import { holder, organizationKey } from './machines.ts'
import { type Askers, path, type Ways } from './organization-askers.ts'
import { found, serverHeaders } from './organizations.ts'
import { ageSessions } from './rows.ts'

/** Removes a member with a key that they made when they could do more, by somebody who never could as much. */
const removeWithKeys = ({ service, as }: Pick<Askers, 'service' | 'as'>, keys: 'adopt' | 'revoke') =>
  as('owner', async (_owner, acme) => {
    const admin = await acme.join('admin')
    await organizationKey({ ...acme, owner: admin })
    await service().deps.sql`update members set roles = '{member}' where id = ${admin.memberId}`
    const remover = await holder(service(), acme, { member: ['create', 'delete'] })
    return remover.post(path('remove-member'), { memberIdOrEmail: admin.memberId, organizationId: acme.id, keys })
  })

/** How each listed failure of the calls about members is reached. */
export const memberWays = ({ service, withSettings, as, alone, outside }: Askers): Ways => ({
  addMember: addMemberWays({ service, withSettings }),
  listMembers: {
    NO_ACTIVE_ORGANIZATION: () => alone((person) => person.get(path('list-members'))),
    NOT_A_MEMBER_FORBIDDEN: () => outside((person, { id }) => person.get(path(`list-members?organizationId=${id}`))),
    LAST_SEEN_FORBIDDEN: () =>
      as('member', (person) =>
        person.get(path('list-members?filterField=lastSeenAt&filterOperator=lt&filterValue=2026-01-01')),
      ),
  },
  getActiveMemberRole: {
    NO_ACTIVE_ORGANIZATION: () => alone((person) => person.get(path('get-active-member-role'))),
    NOT_A_MEMBER_FORBIDDEN: () =>
      outside((person, { slug }) => person.get(path(`get-active-member-role?organizationSlug=${slug}`))),
  },
  getActiveMember: {
    NO_ACTIVE_ORGANIZATION: () => alone((person) => person.get(path('get-active-member'))),
    MEMBER_NOT_FOUND: () =>
      as('member', async (person, { owner }) => {
        await owner.post(path('remove-member'), { memberIdOrEmail: person.memberId })
        await service().deps.sql`
          update sessions set active_organization_id = o.id from organizations o, users u
          where u.email = ${person.email} and sessions.user_id = u.id
        `
        return person.get(path('get-active-member'))
      }),
  },
  removeMember: {
    NO_ACTIVE_ORGANIZATION: () => alone((person) => person.post(path('remove-member'), { memberIdOrEmail: 'x' })),
    MEMBER_NOT_FOUND: () => as('owner', (owner) => owner.post(path('remove-member'), { memberIdOrEmail: 'x' })),
    SESSION_NOT_FRESH: () =>
      as('owner', async (owner) => {
        await ageSessions(service(), owner.email, 2 * 86_400)
        return owner.post(path('remove-member'), { memberIdOrEmail: 'x', keys: 'adopt' })
      }),
    KEY_ADOPT_FORBIDDEN: () => removeWithKeys({ service, as }, 'adopt'),
    KEY_REVOKE_FORBIDDEN: () => removeWithKeys({ service, as }, 'revoke'),
    ONLY_OWNER: () =>
      as('owner', (owner) => owner.post(path('remove-member'), { memberIdOrEmail: owner.email.toUpperCase() })),
    MEMBER_DELETE_FORBIDDEN: () =>
      as('member', async (person, { join }) =>
        person.post(path('remove-member'), { memberIdOrEmail: (await join('member')).memberId }),
      ),
  },
  updateMemberRole: {
    ROLE_NOT_FOUND: () =>
      as('owner', (person) => person.post(path('update-member-role'), { memberId: person.memberId, role: 'king' })),
    NO_ACTIVE_ORGANIZATION: () =>
      alone((person) => person.post(path('update-member-role'), { memberId: 'x', role: 'member' })),
    MEMBER_NOT_FOUND: () =>
      as('owner', (owner) => owner.post(path('update-member-role'), { memberId: 'x', role: 'member' })),
    MEMBER_UPDATE_FORBIDDEN: () =>
      as('admin', (person) => person.post(path('update-member-role'), { memberId: person.memberId, role: 'owner' })),
    ONLY_OWNER: () =>
      as('owner', (person) => person.post(path('update-member-role'), { memberId: person.memberId, role: 'admin' })),
  },
  leave: {
    MEMBER_NOT_FOUND: () => outside((person, { id: organizationId }) => person.post(path('leave'), { organizationId })),
    ONLY_OWNER: () => as('owner', (owner, { id: organizationId }) => owner.post(path('leave'), { organizationId })),
  },
})

function addMemberWays({ service, withSettings }: Pick<Askers, 'service' | 'withSettings'>) {
  const add = (fields: object, at = service()) =>
    at.visitor().post(path('add-member'), { userId: 'x', role: 'member', ...fields }, serverHeaders)
  return {
    NO_ACTIVE_ORGANIZATION: () => add({}),
    TEAMS_OFF: async () => add({ organizationId: 'x', teamId: 'x' }, await withSettings({ TEAMS: 'off' })),
    ROLE_NOT_FOUND: async () => add({ organizationId: (await found(service())).id, role: 'king' }),
    ORGANIZATION_NOT_FOUND: () => add({ organizationId: 'x' }),
    USER_NOT_FOUND: async () => add({ organizationId: (await found(service())).id }),
    ALREADY_A_MEMBER: async () => {
      const { id: organizationId, owner } = await found(service())
      return add({ organizationId, userId: owner.userId })
    },
    TEAM_NOT_FOUND: async () => {
      const [{ id: organizationId }, other] = [await found(service()), await found(service())]
      return add({ organizationId, userId: other.owner.userId, teamId: other.teamId })
    },
    TEAM_FULL: async () => {
      const small = await withSettings({ MAXIMUM_MEMBERS_PER_TEAM: '1' })
      const [{ id: organizationId, teamId }, other] = [await found(small), await found(small)]
      return add({ organizationId, userId: other.owner.userId, teamId }, small)
    },
    MEMBERSHIP_LIMIT_REACHED: async () => {
      const small = await withSettings({ MEMBERSHIP_LIMIT: '1' })
      const [{ id: organizationId }, other] = [await found(small), await found(small)]
      return add({ organizationId, userId: other.owner.userId }, small)
    },
    ORGANIZATION_LIMIT_REACHED: async () => {
      const busy = await withSettings({ ORGANIZATION_LIMIT: '1' })
      const [{ id: organizationId }, other] = [await found(busy), await found(busy)]
      return add({ organizationId, userId: other.owner.userId }, busy)
    },
  }
}
