import { beforeAll, describe, expect, it } from 'vitest'
import { organizationRoles, type Roles } from '../../../shared/permissions.ts'
import { parseRoles } from '../../../shared/role-text.ts'
import { mailsTo } from '../../testing/mailed.ts'
import { customRoles, done, type Founded, found, type Insider } from '../../testing/organizations.ts'
import { inTurn } from '../../testing/rounds.ts'
import { useTestService } from '../../testing/use-service.ts'

const service = useTestService({ DATABASE_POOL: '2' })

/** Everything that a role text grants, as `resource:action`. */
const granted = (roles: Roles, text: string): ReadonlySet<string> =>
  new Set(
    text
      .split(',')
      .flatMap((role) => Object.entries(roles[role] ?? {}))
      .flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`)),
  )
const names = (text: string, role: string): boolean => text.split(',').includes(role)

/** Whether an actor may give a role, and so take it away: told by sets, not by the code that decides. */
function mayGive(roles: Roles, owner: string, actor: string, role: string): boolean {
  const held = granted(roles, actor)
  const isOwners = names(role, owner) && !names(actor, owner)
  return !isOwners && [...granted(roles, role)].every((permission) => held.has(permission))
}

describe.each([
  {
    owner: 'owner',
    roles: organizationRoles,
    actors: ['owner', 'member,owner', 'owner,admin', 'admin', 'member,admin', 'member'],
    given: ['owner', 'member,owner', 'admin', 'member,admin', 'member'],
  },
  {
    owner: 'founder',
    roles: customRoles,
    actors: ['founder', 'admin', 'recruiter', 'recruiter,clerk', 'admin,accountant', 'clerk', 'member'],
    given: ['founder', 'clerk,founder', 'admin', 'accountant', 'recruiter', 'member,clerk', 'member', 'vanished'],
  },
])('an invitation that waits, with $owner as the role that owns,', ({ owner, roles, actors, given }) => {
  let firm: Founded
  let people: Record<string, Insider>
  let id: string
  const email = `dave-${crypto.randomUUID()}@example.com`
  beforeAll(async () => {
    const made = await service.sibling()
    Object.assign(made.deps.config, { roles, CREATOR_ROLE: owner })
    firm = await found(made)
    people = Object.fromEntries(
      await Promise.all(actors.map(async (actor) => [actor, await firm.join(actor)] as const)),
    )
    id = await firm.invite(email)
  })

  /** It waits with this role, as an owner sent it. */
  const promise = (role: string) => service.deps.sql`
    update invitations set roles = string_to_array(${role}, ','), status = 'pending', inviter_id = ${firm.owner.userId} where id = ${id}
  `
  const kept = async () =>
    (
      await service.deps.sql<{ roles: string[]; inviterId: string }[]>`
      select roles, inviter_id from invitations where id = ${id}
    `
    )[0]
  const known = given.filter((text) => text.split(',').every((role) => role in roles))
  const cells = actors.flatMap((actor) => given.flatMap((pending) => known.map((role) => ({ actor, pending, role }))))

  it.each(inTurn(cells))(
    'as $pending is sent again by $actor as $role by the rules',
    async ({ actor, pending, role }) => {
      await promise(pending)
      const before = [await kept(), (await mailsTo(service, email)).length]
      const mayInvite = granted(roles, actor).has('invitation:create')
      const isAllowed = mayInvite && mayGive(roles, owner, actor, pending) && mayGive(roles, owner, actor, role)
      const asked = { email, role, organizationId: firm.id, resend: true }
      const { status, body } = await people[actor]!.post('/organization/invite-member', asked)
      const after = [await kept(), (await mailsTo(service, email)).length]
      const refusal = mayInvite
        ? 'YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE'
        : 'YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION'
      expect([status, body.code ?? body.id]).toEqual(isAllowed ? [200, id] : [403, refusal])
      expect(after).toEqual(
        isAllowed ? [{ roles: parseRoles(role), inviterId: people[actor]!.userId }, Number(before[1]) + 1] : before,
      )
      await service.deps.sql`delete from outbox`
    },
  )

  it('is no secret of its role: who invites without sending it again is told that there is one', async () => {
    await promise(owner)
    const asked = { email, role: 'member', organizationId: firm.id }
    expect((await people.admin!.post('/organization/invite-member', asked)).body.code).toBe(
      'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION',
    )
  })

  it('is canceled by whoever holds that permission, whatever it promises: nobody gains by it', async () => {
    await promise(owner)
    const { status } = await done(people.admin!.post('/organization/cancel-invitation', { invitationId: id }))
    expect(status).toBe('canceled')
  })

  it('may be made anew with any role once its time is over', async () => {
    await promise(owner)
    await service.deps.sql`update invitations set expires_at = now() where id = ${id}`
    const asked = { email, role: 'member', organizationId: firm.id, resend: true }
    expect((await done(people.admin!.post('/organization/invite-member', asked))).role).toBe('member')
  })
})
