import { beforeAll, describe, expect, it } from 'vitest'
import { untilWaiting } from '../../testing/locks.ts'
import { userOf, verifiedPerson } from '../../testing/mailed.ts'
import { type Founded, found, type Insider, newSlug, type Person, serverHeaders } from '../../testing/organizations.ts'
import { race, steady, won } from '../../testing/races.ts'
import { enough, fewRounds, rounds } from '../../testing/rounds.ts'
import { keepRows } from '../../testing/rows.ts'
import { type TestService } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const service = useTestService()
/** Two with low limits. */
let small: TestService[]
let acme: Founded
/** Its owner, and an admin in no team. */
let owner: Insider
let ann: Insider
/** A member, and somebody who is none. */
let bob: Insider
let carol: Person & { userId: string }
let restore: () => Promise<void>
const other = useMade(() => service.sibling())
beforeAll(async () => {
  const limits = { ORGANIZATION_LIMIT: '3', MAXIMUM_TEAMS: '5' }
  small = [await service.sibling(limits), await service.sibling(limits)]
  acme = await found(service)
  owner = steady(acme.owner, other)
  ann = steady(await acme.join('admin'), service)
  bob = steady(await acme.join('member', acme.teamId ?? undefined), service)
  const person = await verifiedPerson(service)
  carol = { ...steady(person, service), userId: (await userOf(service, person.email)).id }
  await owner.post('/organization/create-team', { name: 'Red', organizationId: acme.id })
  restore = await keepRows(service)
})

/** So many races of two share the rounds. */
const each = Math.ceil(rounds / 4)
const inAcme = (more: object = {}) => ({ organizationId: acme.id, ...more })
const create = (person: Person, slug: string) => () =>
  person.post('/organization/create', { name: 'Other', slug, keepCurrentActiveOrganization: true })

/** What must never be, whatever came in which order. */
async function brokenRules(): Promise<unknown> {
  const [row] = await service.deps.sql`
    select
      (select count(*)::integer from organizations o where not exists (
        select from members m where m.organization_id = o.id and 'owner' = any(m.roles)
      )) as without_owner,
      (select count(*)::integer from sessions s where s.active_organization_id is not null and not exists (
        select from members m where m.organization_id = s.active_organization_id and m.user_id = s.user_id
      )) as active_for_strangers,
      (select count(*)::integer from members m join teams t on t.id = m.team_id
        where t.organization_id <> m.organization_id) as in_foreign_teams
  `
  return { ...row }
}
const none = { withoutOwner: 0, activeForStrangers: 0, inForeignTeams: 0 }

it('an owner whose role is being taken away deletes the organization no more', async () => {
  await restore()
  const second = await acme.join('owner')
  let asked: Promise<Reply> | undefined
  await service.deps.sql.begin(async (tx) => {
    await tx`update members set roles = '{member}' where id = ${second.memberId}`
    asked = second.post('/organization/delete', inAcme())
    await untilWaiting(service)
  })
  expect((await asked)?.status).not.toBe(200)
  expect(await service.deps.sql`select from organizations where id = ${acme.id}`).toHaveLength(1)
})

it('a member who is being removed makes the organization active no more', async () => {
  await restore()
  let asked: Promise<Reply> | undefined
  await service.deps.sql.begin(async (tx) => {
    await tx`delete from members where id = ${bob.memberId}`
    await tx`update sessions set active_organization_id = null where user_id = ${bob.userId}`
    asked = bob.post('/organization/set-active', inAcme())
    await untilWaiting(service)
  })
  expect([(await asked)?.status, await brokenRules()]).toEqual([403, none])
})

it('somebody who is being deleted founds no organization any more', async () => {
  await restore()
  let asked: Promise<Reply> | undefined
  const slug = newSlug()
  await service.deps.sql.begin(async (tx) => {
    await tx`delete from users where id = ${carol.userId}`
    asked = create(carol, slug)()
    await untilWaiting(service)
  })
  expect((await asked)?.body).toMatchObject({ code: 'USER_NOT_FOUND' })
  expect(await service.deps.sql`select from organizations where slug = ${slug}`).toHaveLength(0)
})

it(`two organizations of one slug are one, ${rounds} times`, enough, async () => {
  for (let round = 0; round < rounds; round += 1) {
    await restore()
    const slug = newSlug()
    const replies = await race(create(ann, slug), create(steady(carol, other), slug))
    const rows = await service.deps.sql`select id from organizations where slug = ${slug}`
    expect([won(replies), rows.length]).toEqual([1, 1])
  }
})

it(`twenty organizations of one slug, made and renamed, are one, ${fewRounds} times`, enough, async () => {
  const makers = [steady(acme.owner, service), owner, ann, steady(carol, other)]
  for (let round = 0; round < fewRounds; round += 1) {
    await restore()
    const slug = newSlug()
    const requests = Array.from({ length: 20 }, (_, index) =>
      index % 5 === 4
        ? () => owner.post('/organization/update', inAcme({ data: { slug: slug.toUpperCase() } }))
        : create(makers[index % 4]!, slug),
    )
    const replies = await race(...requests)
    const rows = await service.deps.sql`select id from organizations where slug = ${slug}`
    const winners = new Set(replies.filter(({ status }) => status === 200).map(({ body }) => body.id))
    expect([rows.length, [...winners], await brokenRules()]).toEqual([1, [rows[0]?.id], none])
  }
})

it(`twenty creations by one user stop at the limit of three, ${fewRounds} times`, enough, async () => {
  const makers = small.map((sibling) => steady(carol, sibling))
  for (let round = 0; round < fewRounds; round += 1) {
    await restore()
    const requests = Array.from({ length: 20 }, (_, index) => create(makers[index % 2]!, newSlug()))
    expect(won(await race(...requests))).toBe(3)
    expect(await service.deps.sql`select from members where user_id = ${carol.userId}`).toHaveLength(3)
  }
})

it(`twenty ways into organizations at once stop at the limit of three, ${fewRounds} times`, enough, async () => {
  const makers = small.map((sibling) => steady(carol, sibling))
  await restore()
  const others = await Promise.all(Array.from({ length: 14 }, () => found(service)))
  const invitations = await Promise.all(others.slice(0, 7).map(({ invite }) => invite(carol.email)))
  const restoreAll = await keepRows(service)
  for (let round = 0; round < fewRounds; round += 1) {
    await restoreAll()
    const replies = await race(
      ...Array.from({ length: 6 }, (_, index) => create(makers[index % 2]!, newSlug())),
      ...invitations.map(
        (invitationId, index) => () => makers[index % 2]!.post('/organization/accept-invitation', { invitationId }),
      ),
      ...others.slice(7).map(({ id: organizationId }, index) => () => {
        const member = { userId: carol.userId, role: 'member', organizationId }
        return makers[index % 2]!.post('/organization/add-member', member, serverHeaders)
      }),
    )
    const refused = new Set(replies.filter(({ status }) => status !== 200).map(({ body }) => body.code))
    expect([won(replies), [...refused]]).toEqual([3, ['YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS']])
    expect(await service.deps.sql`select from members where user_id = ${carol.userId}`).toHaveLength(3)
  }
})

it(`twenty new teams stop at the limit of five, ${fewRounds} times`, enough, async () => {
  const makers = [acme.owner, ann].map((person, index) => steady(person, small[index]!))
  for (let round = 0; round < fewRounds; round += 1) {
    await restore()
    const requests = Array.from(
      { length: 20 },
      (_, index) => () => makers[index % 2]!.post('/organization/create-team', inAcme({ name: `Team ${index}` })),
    )
    expect(won(await race(...requests))).toBe(3)
    expect(await teams()).toHaveLength(5)
  }
})

const teams = () => service.deps.sql<{ id: string }[]>`select id from teams where organization_id = ${acme.id}`

it(`of the last two teams one stays when both are removed at once, ${rounds} times`, enough, async () => {
  await restore()
  const [one, two] = await teams()
  for (let round = 0; round < rounds; round += 1) {
    await restore()
    const replies = await race(
      () => ann.post('/organization/remove-team', inAcme({ teamId: one?.id })),
      () => steady(ann, other).post('/organization/remove-team', inAcme({ teamId: two?.id })),
    )
    expect([won(replies), (await teams()).length]).toEqual([1, 1])
  }
})

type Deed = readonly [name: string, act: (person: Insider) => Promise<Reply>]
const asked = { email: 'dave@example.com', role: 'member' }
/** What a member of an organization may be about to do. */
const deeds: readonly Deed[] = [
  ['chooses it', (person) => person.post('/organization/set-active', inAcme())],
  ['leaves it', (person) => person.post('/organization/leave', inAcme())],
  ['reads it', (person) => person.get(`/organization/get-full-organization?organizationId=${acme.id}`)],
  ['deletes their user', (person) => person.post('/delete-user')],
]
const deedsOfAdmins: readonly Deed[] = [
  ['renames it', (person) => person.post('/organization/update', inAcme({ data: { name: 'Ltd' } }))],
  ['invites to it', (person) => person.post('/organization/invite-member', inAcme(asked))],
  ['creates a team', (person) => person.post('/organization/create-team', inAcme({ name: 'Blue' }))],
  ['renames a team', (person) => person.post('/organization/update-team', ofTeam({ name: 'Blue' }))],
  ['removes a team', (person) => person.post('/organization/remove-team', inAcme({ teamId: acme.teamId }))],
  ['puts a member into a team', (person) => person.post('/organization/add-team-member', placing())],
  ['takes a member out of a team', (person) => person.post('/organization/remove-team-member', placing())],
  ['removes a member', (person) => person.post('/organization/remove-member', inAcme({ memberIdOrEmail: bob.email }))],
  ['promotes a member', (person) => person.post('/organization/update-member-role', inAcme(promotion()))],
]
const placing = () => ({ teamId: acme.teamId, userId: bob.userId })
const promotion = () => ({ memberId: bob.memberId, role: 'admin' })
const ofTeam = (data: object) => ({ teamId: acme.teamId, data: inAcme(data) })
const adds: Deed = [
  'adds a member',
  () =>
    service.visitor().post('/organization/add-member', inAcme({ userId: carol.userId, role: 'member' }), serverHeaders),
]

describe('an organization that is deleted while an admin', () => {
  it.each([...deeds, ...deedsOfAdmins, adds])(`%s is gone, ${each} times`, enough, async (_name, act) => {
    for (let round = 0; round < each; round += 1) {
      await restore()
      const [, deleted] = await race(
        () => act(ann),
        () => owner.post('/organization/delete', inAcme()),
      )
      expect([deleted?.status, await brokenRules()]).toEqual([200, none])
      expect(await teams()).toEqual([])
    }
  })
})

describe('a member who is removed while they', () => {
  it.each(deeds)(`%s is no member afterwards, nor is it active, ${each} times`, enough, async (_name, act) => {
    for (let round = 0; round < each; round += 1) {
      await restore()
      await race(
        () => act(bob),
        () => owner.post('/organization/remove-member', inAcme({ memberIdOrEmail: bob.memberId })),
      )
      expect(await service.deps.sql`select from members where user_id = ${bob.userId}`).toEqual([])
      expect(await brokenRules()).toEqual(none)
    }
  })
})

describe('a team that is removed while an admin', () => {
  it.each(deedsOfAdmins)(`%s leaves nobody in it, ${each} times`, enough, async (_name, act) => {
    for (let round = 0; round < each; round += 1) {
      await restore()
      const team = await teams().then((all) => all.find(({ id }) => id === acme.teamId))
      await race(
        () => act(ann),
        () => steady(ann, other).post('/organization/remove-team', inAcme({ teamId: team?.id })),
      )
      const left = await service.deps.sql`select from members where team_id = ${team?.id ?? ''}`
      expect([left.length, await brokenRules()]).toEqual([0, none])
    }
  })
})

it(`a user who is deleted while they create an organization takes it along, ${each} times`, enough, async () => {
  for (let round = 0; round < each; round += 1) {
    await restore()
    await race(create(carol, newSlug()), () => steady(carol, other).post('/delete-user'))
    expect(await brokenRules()).toEqual(none)
  }
})
