import type { FailureName } from '../../shared/errors.ts'
import type { Sql } from '../db/connect.ts'
import { untilWaiting } from './locks.ts'
import { verifiedPerson } from './mailed.ts'
import { type Founded, found, type Insider, newSlug, serverHeaders } from './organizations.ts'
import type { TestService } from './service.ts'
import type { Reply } from './visitor.ts'

type Ways = Record<string, Partial<Record<FailureName, () => Promise<Reply>>>>
type Step = (tx: Sql) => PromiseLike<unknown>
/** Asks as a new member with a role, who has the organization active. */
type Ask = (person: Insider, acme: Founded) => Promise<Reply>

const path = (call: string) => `/organization/${call}`
const someone = () => `bob-${crypto.randomUUID()}@example.com`

/** How each listed failure of the organization's calls is reached. */
export const organizationWays = (service: () => TestService): Ways => {
  const siblings = new Map<string, Promise<TestService>>()
  /** One for all who want the same, and with one connection: all services of two test files share a hundred. */
  const withSettings = (settings: Record<string, string>) => {
    const key = JSON.stringify(settings)
    const sibling = siblings.get(key) ?? service().sibling({ ...settings, DATABASE_POOL: '1' })
    siblings.set(key, sibling)
    return sibling
  }
  const as = async (role: string, ask: Ask) => {
    const acme = await found(service())
    return ask(role === 'owner' ? acme.owner : await acme.join(role), acme)
  }
  const alone = async (ask: (person: Insider) => Promise<Reply>) =>
    ask((await service().person()) as unknown as Insider)
  /** Somebody who is in no organization, and one that is not theirs. */
  const outside = async (ask: Ask) =>
    ask((await verifiedPerson(service())) as unknown as Insider, await found(service()))
  /** The one who is invited, and the invitation's id. */
  const invited = async (ask: (id: string, person: Insider, acme: Founded) => Promise<Reply>) => {
    const [acme, person] = [await found(service()), await verifiedPerson(service())]
    return ask(await acme.invite(person.email), person as unknown as Insider, acme)
  }
  const unverified = (ask: (id: string, person: Insider) => Promise<Reply>) =>
    invited(async (id, person) => {
      await service().deps.sql`update users set email_verified = false where email = ${person.email}`
      return ask(id, person)
    })
  const ofSomebodyElse = (ask: (id: string, person: Insider) => Promise<Reply>) =>
    invited(async (id) => ask(id, (await verifiedPerson(service())) as unknown as Insider))
  /** Something that happens while a request waits for a lock. */
  const meanwhile = async (lock: Step, ask: () => Promise<Reply>, then: Step) => {
    let asked: Promise<Reply> | undefined
    await service().deps.sql.begin(async (tx) => {
      await lock(tx as unknown as Sql)
      asked = ask()
      await untilWaiting(service())
      await then(tx as unknown as Sql)
    })
    return (await asked) as Reply
  }
  const organizations = (): Ways => ({
    create: {
      ORGANIZATION_CREATION_FORBIDDEN: async () => {
        const person = await (await withSettings({ ORGANIZATION_CREATION: 'off' })).person()
        return person.post(path('create'), { name: 'Acme', slug: newSlug() })
      },
      ORGANIZATION_LIMIT_REACHED: async () => {
        const { owner } = await found(await withSettings({ ORGANIZATION_LIMIT: '1' }))
        return owner.post(path('create'), { name: 'Acme', slug: newSlug() })
      },
      ORGANIZATION_EXISTS: () =>
        as('owner', (owner, { slug }) => owner.post(path('create'), { name: 'Acme', slug: slug.toUpperCase() })),
      USER_NOT_FOUND: () =>
        service()
          .visitor()
          .post(path('create'), { name: 'Acme', slug: newSlug(), userId: 'no-such-user' }, serverHeaders),
    },
    checkSlug: { SLUG_TAKEN: () => outside((person, { slug }) => person.post(path('check-slug'), { slug })) },
    update: {
      USER_NOT_FOUND_UNAUTHORIZED: () => service().visitor().post(path('update'), { data: {} }),
      ORGANIZATION_NOT_FOUND: () => alone((person) => person.post(path('update'), { data: {} })),
      NOT_A_MEMBER: () =>
        outside((person, { id: organizationId }) => person.post(path('update'), { data: {}, organizationId })),
      ORGANIZATION_UPDATE_FORBIDDEN: () => as('member', (person) => person.post(path('update'), { data: {} })),
      ORGANIZATION_EXISTS: async () => {
        const { slug } = await found(service())
        return as('owner', (owner) => owner.post(path('update'), { data: { slug } }))
      },
    },
    remove: {
      NOT_A_MEMBER: () => outside((person, { id: organizationId }) => person.post(path('delete'), { organizationId })),
      ORGANIZATION_DELETE_FORBIDDEN: () =>
        as('admin', (person, { id: organizationId }) => person.post(path('delete'), { organizationId })),
      ORGANIZATION_DELETION_OFF: async () => {
        const { id: organizationId, owner } = await found(await withSettings({ ORGANIZATION_DELETION: 'off' }))
        return owner.post(path('delete'), { organizationId })
      },
    },
    getFullOrganization: {
      NOT_A_MEMBER_FORBIDDEN: () =>
        outside((person, { slug }) => person.get(path(`get-full-organization?organizationSlug=${slug}`))),
    },
    setActive: {
      NOT_A_MEMBER_FORBIDDEN: () =>
        outside((person, { id: organizationId }) => person.post(path('set-active'), { organizationId })),
    },
    hasPermission: {
      NO_ACTIVE_ORGANIZATION: () => alone((person) => person.post(path('has-permission'), { permissions: {} })),
      NOT_A_MEMBER_UNAUTHORIZED: () =>
        outside((person, { id: organizationId }) =>
          person.post(path('has-permission'), { organizationId, permissions: {} }),
        ),
    },
  })
  const members = (): Ways => ({
    addMember: addMemberWays(service, withSettings),
    listMembers: {
      NO_ACTIVE_ORGANIZATION: () => alone((person) => person.get(path('list-members'))),
      NOT_A_MEMBER_FORBIDDEN: () => outside((person, { id }) => person.get(path(`list-members?organizationId=${id}`))),
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
      MEMBER_NOT_FOUND: () =>
        outside((person, { id: organizationId }) => person.post(path('leave'), { organizationId })),
      ONLY_OWNER: () => as('owner', (owner, { id: organizationId }) => owner.post(path('leave'), { organizationId })),
    },
  })
  const invitations = (): Ways => ({
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
    },
    acceptInvitation: {
      INVITATION_NOT_FOUND: () => alone((person) => person.post(path('accept-invitation'), { invitationId: 'x' })),
      NOT_THE_RECIPIENT: () =>
        ofSomebodyElse((invitationId, person) => person.post(path('accept-invitation'), { invitationId })),
      EMAIL_VERIFICATION_REQUIRED: () =>
        unverified((invitationId, person) => person.post(path('accept-invitation'), { invitationId })),
      INVITER_NOT_A_MEMBER: () =>
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
      NOT_YOUR_ORGANIZATION: () =>
        outside((person, { id }) => person.get(path(`list-invitations?organizationId=${id}`))),
    },
    listUserInvitations: {
      EMAIL_VERIFICATION_REQUIRED: () => alone((person) => person.get(path('list-user-invitations'))),
    },
  })
  const placed = (call: string) => ({
    TEAM_NOT_FOUND: () => outside((person, { teamId }) => person.post(path(call), { teamId, userId: 'x' })),
    TEAM_UPDATE_FORBIDDEN: () =>
      as('member', (person, { teamId }) => person.post(path(call), { teamId, userId: person.userId })),
    MEMBER_NOT_FOUND: () => as('owner', (owner, { teamId }) => owner.post(path(call), { teamId, userId: 'x' })),
  })
  const teams = (): Ways => ({
    createTeam: {
      NO_ACTIVE_ORGANIZATION: () => alone((person) => person.post(path('create-team'), { name: 'Red' })),
      INVITATION_CREATE_FORBIDDEN: () =>
        outside((person, { id: organizationId }) => person.post(path('create-team'), { name: 'Red', organizationId })),
      TEAM_CREATE_FORBIDDEN: () => as('member', (person) => person.post(path('create-team'), { name: 'Red' })),
      TEAM_LIMIT_REACHED: async () => {
        const { owner } = await found(await withSettings({ MAXIMUM_TEAMS: '1' }))
        return owner.post(path('create-team'), { name: 'Red' })
      },
    },
    removeTeam: {
      NO_ACTIVE_ORGANIZATION: () => alone((person) => person.post(path('remove-team'), { teamId: 'x' })),
      TEAM_NOT_YOURS_TO_DELETE: () => as('owner', (owner, { teamId }) => owner.post(path('remove-team'), { teamId })),
      TEAM_DELETE_FORBIDDEN: () => as('member', (person, { teamId }) => person.post(path('remove-team'), { teamId })),
      TEAM_NOT_FOUND: () => as('owner', (owner) => owner.post(path('remove-team'), { teamId: 'x' })),
      LAST_TEAM: () => as('admin', (person, { teamId }) => person.post(path('remove-team'), { teamId })),
    },
    updateTeam: {
      NO_ACTIVE_ORGANIZATION: () => alone((person) => person.post(path('update-team'), { teamId: 'x', data: {} })),
      TEAM_UPDATE_FORBIDDEN: () =>
        as('member', (person, { teamId }) => person.post(path('update-team'), { teamId, data: {} })),
      TEAM_NOT_FOUND: () => as('owner', (owner) => owner.post(path('update-team'), { teamId: 'x', data: {} })),
    },
    listTeams: {
      NO_ACTIVE_ORGANIZATION: () => alone((person) => person.get(path('list-teams'))),
      TEAMS_NOT_YOURS: () => outside((person, { id }) => person.get(path(`list-teams?organizationId=${id}`))),
    },
    addTeamMember: placed('add-team-member'),
    removeTeamMember: placed('remove-team-member'),
    listTeamMembers: {
      TEAM_NOT_FOUND: () => outside((person, { teamId }) => person.get(path(`list-team-members?teamId=${teamId}`))),
    },
  })
  return { ...organizations(), ...members(), ...invitations(), ...teams() }
}

function addMemberWays(
  service: () => TestService,
  withSettings: (settings: Record<string, string>) => Promise<TestService>,
) {
  const add = (fields: object, at = service()) =>
    at.visitor().post(path('add-member'), { userId: 'x', role: 'member', ...fields }, serverHeaders)
  return {
    NO_ACTIVE_ORGANIZATION: () => add({}),
    TEAMS_OFF: async () => add({ organizationId: 'x', teamId: 'x' }, await withSettings({ TEAMS: 'off' })),
    ROLE_NOT_FOUND: () => add({ organizationId: 'x', role: 'king' }),
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
