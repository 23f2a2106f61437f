import type postgres from 'postgres'
import { beforeAll, describe, expect, it } from 'vitest'
import { adminOf } from '../../testing/admins.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { userOf, verifiedPerson } from '../../testing/mailed.ts'
import { found, type Insider, type Person, serverHeaders } from '../../testing/organizations.ts'
import { race, steady, won } from '../../testing/races.ts'
import { enough, fewRounds, rounds } from '../../testing/rounds.ts'
import { keepRows } from '../../testing/rows.ts'
import { type TestService } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const service = useTestService()
let owner: Insider
/** An admin, who invites. */
let ann: Insider
/** An administrator of the platform. */
let root: Person
/** Who is invited. */
let bob: Person & { userId: string }
let teamId: string
let invitationId: string
let restore: () => Promise<void>
const other = useMade(() => service.sibling())
const acme = useMade(() => found(service))
beforeAll(async () => {
  owner = steady(acme.owner, other)
  ann = steady(await acme.join('admin'), other)
  root = steady(await adminOf(service), other)
  const person = await verifiedPerson(service)
  bob = { ...steady(person, service), userId: (await userOf(service, person.email)).id }
  teamId = (await owner.post('/organization/create-team', { name: 'Red', organizationId: acme.id })).body.id
  const asked = { email: bob.email, role: 'member', teamId, organizationId: acme.id }
  invitationId = (await ann.post('/organization/invite-member', asked)).body.id
  restore = await keepRows(service)
})

const accept = () => bob.post('/organization/accept-invitation', { invitationId })

/** What became of it: the invitation's status, whether Bob is a member, and whether his session believes so. */
async function outcome() {
  const [row] = await service.deps.sql`
    select
      (select status from invitations where id = ${invitationId}) as status,
      (select count(*)::integer from members where user_id = ${bob.userId}) as memberships,
      (select count(*)::integer from sessions where user_id = ${bob.userId} and active_organization_id = ${acme.id})
        as active
  `
  return { ...row }
}

const gone = { status: null, memberships: 0, active: 0 }
const joined = { status: 'accepted', memberships: 1, active: 1 }
const left = { status: 'accepted', memberships: 0, active: 0 }
const waiting = { status: 'pending', memberships: 0, active: 0 }

interface Rival {
  readonly does: string
  readonly rival: () => Promise<Reply>
  /** What may have become of it when the acceptance was let through, and when not. */
  readonly accepted: readonly object[]
  readonly refused: readonly object[]
}

const rivals: readonly Rival[] = [
  {
    does: 'is canceled',
    rival: () => owner.post('/organization/cancel-invitation', { invitationId }),
    accepted: [{ ...joined, status: 'canceled' }],
    refused: [{ ...waiting, status: 'canceled' }],
  },
  {
    does: 'is rejected',
    rival: () => steady(bob, other).post('/organization/reject-invitation', { invitationId }),
    accepted: [joined],
    refused: [{ ...waiting, status: 'rejected' }],
  },
  {
    does: 'expires',
    rival: () => expire(),
    accepted: [joined],
    refused: [waiting],
  },
  {
    does: 'loses its inviter',
    rival: () => owner.post('/organization/remove-member', { memberIdOrEmail: ann.memberId, organizationId: acme.id }),
    accepted: [joined],
    refused: [waiting],
  },
  {
    does: 'has an inviter who is demoted',
    rival: () =>
      owner.post('/organization/update-member-role', {
        memberId: ann.memberId,
        role: 'member',
        organizationId: acme.id,
      }),
    accepted: [joined],
    refused: [waiting],
  },
  {
    does: 'has an inviter who is banned',
    rival: () => root.post('/admin/ban-user', { userId: ann.userId }),
    accepted: [joined],
    refused: [waiting],
  },
  {
    does: 'has an inviter who deletes their user',
    rival: () => ann.post('/delete-user'),
    accepted: [{ ...joined, status: null }],
    refused: [gone],
  },
  {
    does: 'loses its team',
    rival: () => owner.post('/organization/remove-team', { teamId, organizationId: acme.id }),
    accepted: [joined],
    refused: [],
  },
  {
    does: 'is not needed any more',
    rival: () =>
      other
        .visitor()
        .post(
          '/organization/add-member',
          { userId: bob.userId, role: 'admin', organizationId: acme.id },
          serverHeaders,
        ),
    accepted: [joined],
    refused: [{ ...waiting, memberships: 1 }],
  },
  {
    does: 'loses its organization',
    rival: () => owner.post('/organization/delete', { organizationId: acme.id }),
    accepted: [gone],
    refused: [gone],
  },
  {
    does: 'loses its recipient',
    rival: () => steady(bob, other).post('/delete-user'),
    // What was sent to them goes with them.
    accepted: [gone],
    refused: [gone],
  },
  {
    does: 'is accepted by somebody who leaves at once',
    rival: () => steady(bob, other).post('/organization/leave', { organizationId: acme.id }),
    accepted: [joined, left],
    refused: [],
  },
]

/** Time passes, as nobody can make it pass by a call. */
async function expire(): Promise<Reply> {
  await service.deps.sql`update invitations set expires_at = now() where id = ${invitationId}`
  return service.visitor().get('/ok')
}

/** So many rivals share the rounds; but for the one that is everyday. */
const each = Math.ceil(rounds / 4)
const timed = rivals.map((rival) => ({ ...rival, times: rival.does === 'is canceled' ? rounds : each }))

describe('an invitation that is accepted while it', () => {
  it.each(timed)('$does comes to one end, $times times', enough, async ({ rival, accepted, refused, times }) => {
    for (let round = 0; round < times; round += 1) {
      await restore()
      const [reply] = await race(accept, rival)
      const ends = reply?.status === 200 ? accepted : refused
      expect([reply?.text, ends]).toEqual([reply?.text, expect.arrayContaining([await outcome()])])
    }
  })
})

it(`two acceptances of one invitation make one member, ${rounds} times`, enough, async () => {
  const elsewhere = steady(bob, other)
  for (let round = 0; round < rounds; round += 1) {
    await restore()
    const replies = await race(accept, () => elsewhere.post('/organization/accept-invitation', { invitationId }))
    expect([won(replies), await outcome()]).toEqual([1, joined])
  }
})

it(`twenty acceptances of one invitation make one member, ${fewRounds} times`, enough, async () => {
  const doubles = [bob, steady(bob, other)]
  for (let round = 0; round < fewRounds; round += 1) {
    await restore()
    const accepts = Array.from(
      { length: 20 },
      (_, index) => () => doubles[index % 2]!.post('/organization/accept-invitation', { invitationId }),
    )
    expect([won(await race(...accepts)), await outcome()]).toEqual([1, joined])
  }
})

it(`twenty invitations to one address are one row and one mail, ${fewRounds} times`, enough, async () => {
  const asked = { email: 'carol@example.com', role: 'member', organizationId: acme.id }
  const inviters = [steady(acme.owner, service), owner, ann]
  for (let round = 0; round < fewRounds; round += 1) {
    await restore()
    await service.deps.sql`delete from outbox`
    const invites = Array.from(
      { length: 20 },
      (_, index) => () => inviters[index % 3]!.post('/organization/invite-member', asked),
    )
    expect(won(await race(...invites))).toBe(1)
    const [rows] = await service.deps.sql`
      select (select count(*)::integer from invitations where email = ${asked.email}) as invitations,
        (select count(*)::integer from outbox) as mails
    `
    expect({ ...rows }).toEqual({ invitations: 1, mails: 1 })
  }
})

it(`two that send one invitation again do so, where it waits or not, ${each} times`, enough, async () => {
  for (let round = 0; round < each; round += 1) {
    await restore()
    const email = round % 2 ? bob.email : 'carol@example.com'
    const asked = { email, role: 'member', organizationId: acme.id, resend: true }
    const [one, two] = await race(
      () => ann.post('/organization/invite-member', asked),
      () => steady(acme.owner, service).post('/organization/invite-member', asked),
    )
    const rows = await service.deps.sql`select id from invitations where email = ${email}`
    expect([one?.body.id, two?.body.id]).toEqual([rows[0]?.id, rows[0]?.id])
    expect([one?.status, two?.status, rows.length]).toEqual([200, 200, 1])
  }
})

it(`an invitation is sent again, or anew, while it ends, ${each} times`, enough, async () => {
  const asked = { email: bob.email, role: 'member', organizationId: acme.id, resend: true }
  const ends = ['cancel-invitation', 'reject-invitation'] as const
  for (let round = 0; round < each; round += 1) {
    await restore()
    const call = ends[round % 2]!
    const [resent, ended] = await race(
      () => ann.post('/organization/invite-member', asked),
      () => (round % 2 ? steady(bob, other) : owner).post(`/organization/${call}`, { invitationId }),
    )
    const pending = await service.deps.sql`select id from invitations where email = ${bob.email} and status = 'pending'`
    const isNew = resent?.body.id !== invitationId
    expect([call, resent?.status, ended?.status, pending.length]).toEqual([call, 200, 200, isNew ? 1 : 0])
  }
})

it(`two additions of one user make one member, ${each} times`, enough, async () => {
  const add = (at: TestService) => () =>
    at
      .visitor()
      .post('/organization/add-member', { userId: bob.userId, role: 'member', organizationId: acme.id }, serverHeaders)
  for (let round = 0; round < each; round += 1) {
    await restore()
    expect(won(await race(add(service), add(other)))).toBe(1)
  }
})

it(`an invitation and the removal of its team are one after the other, ${each} times`, enough, async () => {
  const asked = { email: 'carol@example.com', role: 'member', organizationId: acme.id, teamId }
  for (let round = 0; round < each; round += 1) {
    await restore()
    const [, removed] = await race(
      () => ann.post('/organization/invite-member', asked),
      () => steady(acme.owner, service).post('/organization/remove-team', { teamId, organizationId: acme.id }),
    )
    const left = await service.deps.sql`select from invitations where team_id = ${teamId}`
    expect([removed?.status, left.length]).toEqual([200, 0])
  }
})

it(`twenty acceptances of twenty invitations fill an organization to its limit, ${rounds} times`, enough, async () => {
  const limits = { MEMBERSHIP_LIMIT: '10' }
  const [one, two] = [await service.sibling(limits), await service.sibling(limits)]
  const people = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const person = await verifiedPerson(service)
      const id = await acme.invite(person.email)
      const guest = steady(person, index % 2 ? one : two)
      return () => guest.post('/organization/accept-invitation', { invitationId: id })
    }),
  )
  const restoreAll = await keepRows(service)
  for (let round = 0; round < rounds; round += 1) {
    await restoreAll()
    // The owner and an admin are there already.
    expect(won(await race(...people))).toBe(8)
    const members = await service.deps.sql`select from members where organization_id = ${acme.id}`
    expect(members).toHaveLength(10)
  }
})

const changes: readonly [string, (tx: postgres.TransactionSql) => PromiseLike<unknown>, said: string][] = [
  [
    'its inviter was demoted',
    (tx) => tx`update members set roles = '{member}' where id = ${ann.memberId}`,
    'can no longer invite with this role',
  ],
  [
    'it promises what its inviter may not grant',
    (tx) => tx`update invitations set roles = '{owner}' where id = ${invitationId}`,
    'can no longer invite with this role',
  ],
  [
    'its inviter was banned',
    (tx) => tx`update users set banned = true where id = ${ann.userId}`,
    'is no longer a member of the organization',
  ],
  [
    'it is of somebody who is no member',
    (tx) => tx`update invitations set inviter_id = ${bob.userId} where id = ${invitationId}`,
    'is no longer a member of the organization',
  ],
]

it.each(changes)('an invitation is refused when, since it was read, %s', async (_why, change, said) => {
  await restore()
  const { reply } = await service.deps.sql.begin(async (tx) => {
    await tx`select from organizations where id = ${acme.id} for update`
    await change(tx)
    const waiting = accept()
    await untilWaiting(other)
    return { reply: waiting }
  })
  expect((await reply).body.message).toBe(`Inviter ${said}`)
  expect(await outcome()).toEqual(waiting)
})
