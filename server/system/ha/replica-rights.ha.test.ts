import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { createSessionToken, digestOf } from '../../crypto/token.ts'
import { createCookies } from '../../http/cookies.ts'
import { at, openReader, readAt, rested, warm } from '../../testing/ha/readers.ts'
import { type Replicated, startReplicated } from '../../testing/ha/replicated.ts'
import { makeWorld, type World } from '../../testing/ha/world.ts'
import { machine, ownKey } from '../../testing/machines.ts'
import { admit, done, found, type Insider } from '../../testing/organizations.ts'
import { revokeRaces } from '../../testing/rounds.ts'
import { serviceOn, type TestService } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'
import { cookieHeader, type Reply, type Visitor } from '../../testing/visitor.ts'

vi.setConfig({ testTimeout: (120_000 + 40 * revokeRaces) * slack, hookTimeout: 200_000 * slack })

let servers: Replicated
let plain: TestService
/** Four services that read lists from a replica five seconds late. */
const nodes: TestService[] = []
beforeAll(async () => {
  servers = await startReplicated()
  plain = await serviceOn(servers.primary.url, { DATABASE_URL: servers.primary.url })
  for (let node = 0; node < 4; node += 1) nodes.push(await openReader(servers, { LOG_LEVEL: 'silent' }))
  const { owner } = await makeWorld(plain)
  await servers.caughtUp()
  await Promise.all(nodes.map((node) => warm(node, owner)))
})
afterAll(async () => {
  await Promise.all([plain, ...nodes].map((service) => service?.stop()))
  await servers.stop()
})

let world: World
beforeEach(async () => {
  servers.holdBack(0)
  world = await makeWorld(plain)
  await servers.caughtUp()
  await Promise.all(nodes.map((node) => warm(node, world.owner)))
  servers.holdBack(5)
})

/** What each service answers to the same person, who has written nothing. */
const askEverywhere = (person: Visitor, path: string): Promise<(Reply & { place: string })[]> =>
  Promise.all(nodes.map((node) => readAt(node, () => rested(node, person).get(path))))
const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status)
const four = <T>(value: T) => [value, value, value, value]

const listsOf = ({ acme }: World) => [
  `/organization/get-full-organization?organizationId=${acme.id}`,
  `/organization/get-full-organization?organizationSlug=${acme.slug}`,
  `/organization/list-members?organizationId=${acme.id}`,
  `/organization/list-invitations?organizationId=${acme.id}`,
  `/organization/list-teams?organizationId=${acme.id}`,
]

it('a removed member sees nothing more of the organization, anywhere', async () => {
  const { acme, owner, member } = world
  const byTeam = `/organization/list-team-members?teamId=${acme.teamId}`
  expect(statusesOf(await askEverywhere(member, byTeam))).toEqual(four(200))
  await done(owner.post('/organization/remove-member', { memberIdOrEmail: member.memberId, organizationId: acme.id }))
  for (const path of listsOf(world)) expect(statusesOf(await askEverywhere(member, path))).toEqual(four(403))
  expect(statusesOf(await askEverywhere(member, byTeam))).toEqual(four(400))
  const own = await askEverywhere(member, '/organization/list')
  expect(own.map(({ place, body }) => [place, body])).toEqual(four(['replica', []]))
})

it('a deleted organization is in no list, anywhere', async () => {
  const { acme, owner } = world
  await done(owner.post('/organization/delete', { organizationId: acme.id }))
  for (const path of listsOf(world)) expect(statusesOf(await askEverywhere(owner, path))).toEqual(four(403))
  const own = await askEverywhere(owner, '/organization/list')
  expect(own.map(({ place, body }) => [place, body])).toEqual(four(['replica', []]))
})

it('who was removed from one of their organizations misses none of the others, page by page', async () => {
  const { acme, owner, member } = world
  const others = [await found(plain), await found(plain)]
  for (const { id } of others) await admit(plain, member.email, { organizationId: id, role: 'member' })
  servers.holdBack(0)
  await servers.caughtUp()
  servers.holdBack(5)
  await done(owner.post('/organization/remove-member', { memberIdOrEmail: member.memberId, organizationId: acme.id }))
  const first = await askEverywhere(member, '/organization/list?limit=1')
  expect(first.map(({ body }) => body.map(({ id }: { id: string }) => id))).toEqual(four([others[0]?.id]))
})

it('a member without their role sees no keys, anywhere', async () => {
  const { acme, owner } = world
  const clerk = await acme.join('admin')
  const keys = `/key/list?organizationId=${acme.id}`
  expect(statusesOf(await askEverywhere(clerk, keys))).toEqual(four(200))
  await done(owner.post('/organization/update-member-role', { memberId: clerk.memberId, role: 'member' }))
  expect(statusesOf(await askEverywhere(clerk, keys))).toEqual(four(403))
})

it('a banned user, and an administrator who is none any more, are refused everywhere', async () => {
  const { admin, owner } = world
  await done(admin.post('/admin/ban-user', { userId: owner.userId }))
  expect(statusesOf(await askEverywhere(owner, '/organization/list'))).toEqual(four(401))
  expect(statusesOf(await askEverywhere(admin, '/admin/list-users'))).toEqual(four(200))
  await plain.deps.sql`update users set roles = '{user}' where id = ${admin.id}`
  expect(statusesOf(await askEverywhere(admin, '/admin/list-users'))).toEqual(four(403))
})

it('a revoked key is refused everywhere', async () => {
  const { owner } = world
  const key = await ownKey(owner)
  const ask = () => Promise.all(nodes.map((node) => machine(node, key.token).get('/organization/list')))
  expect(statusesOf(await ask())).toEqual(four(200))
  await done(owner.post('/key/revoke', { keyId: key.id }))
  expect(statusesOf(await ask())).toEqual(four(401))
})

it('a slug that now names another organization never shows the old one', async () => {
  const { acme, owner, member } = world
  const other = await found(plain)
  await admit(plain, member.email, { organizationId: other.id, role: 'member' })
  const { slug } = acme
  await done(owner.post('/organization/update', { organizationId: acme.id, data: { slug: `${slug}-old` } }))
  await done(other.owner.post('/organization/update', { organizationId: other.id, data: { slug } }))
  const replies = await askEverywhere(member, `/organization/get-full-organization?organizationSlug=${slug}`)
  expect(replies.map(({ body }) => body.id)).toEqual(four(other.id))
})

it('a new member sees the organization at once, since the primary answers while the replica does not know them', async () => {
  const { acme } = world
  const joined = await acme.join('member')
  for (const path of [...listsOf(world), `/organization/list-team-members?teamId=${acme.teamId}`]) {
    const replies = await askEverywhere(joined, path)
    expect(statusesOf(replies)).toEqual(four(200))
    expect(replies.map(({ text }) => text)).toEqual(four((await rested(plain, joined).get(path)).text))
  }
})

it('choosing the active organization never goes by a replica', async () => {
  const { acme, owner, member } = world
  const chosen = at(nodes[0]!, member)
  await done(owner.post('/organization/remove-member', { memberIdOrEmail: member.memberId, organizationId: acme.id }))
  expect((await chosen.post('/organization/set-active', { organizationId: acme.id })).status).toBe(403)
})

/** Races side by side, each with a person of its own. */
const lanes = 8
/** Sessions that are made at once, for the next races of a lane. */
const batch = 100

/** Sessions of a person, as sign-ins make them. */
async function makeSessions({ userId }: Insider): Promise<string[]> {
  const tokens = Array.from({ length: batch }, createSessionToken)
  const [ids, hashes] = [tokens.map(() => randomUUID()), tokens.map((token) => digestOf(token).toString('hex'))]
  await plain.deps.sql`
    insert into sessions (id, user_id, token_hash, expires_at)
    select n.id, ${userId}, decode(n.hash, 'hex'), now() + interval '1 day'
    from unnest(${ids}::text[], ${hashes}::text[]) as n (id, hash)
  `
  return tokens
}

const sessionCookieOf = (token: string): string => {
  const { config, keys } = plain.deps
  return createCookies(config, keys).writeSigned('session_token', token, null).split(';')[0] ?? ''
}

interface Outcome {
  readonly during: readonly Reply[]
  readonly after: readonly Reply[]
}

/** Uses a session at two services while a third one ends it, and at two after the answer. */
async function raceRevocation(owner: Insider, token: string, turn: number): Promise<Outcome> {
  const node = (offset: number) => nodes[(turn + offset) % nodes.length]!
  const cookie = sessionCookieOf(token)
  const use = (offset: number) => node(offset).visitor().get('/organization/list', { cookie })
  const during = [use(0), use(1)]
  await done(
    node(2)
      .visitor()
      .post('/revoke-session', { token }, { cookie: cookieHeader(owner.cookies) }),
  )
  const after = await Promise.all([use(turn % 2), use(3)])
  return { during: await Promise.all(during), after }
}

it(`a session is refused everywhere after the answer of its end: ${revokeRaces} races over four services`, async () => {
  const counts = { races: 0, during: 0, after: 0, odd: 0 }
  const before = nodes.map(({ reads }) => reads.replica)
  const race = async (person: Insider) => {
    for (let left = Math.ceil(revokeRaces / lanes); left > 0; left -= batch)
      for (const token of (await makeSessions(person)).slice(0, left)) {
        const { during, after } = await raceRevocation(person, token, counts.races)
        counts.races += 1
        counts.during += during.filter(({ status }) => status === 200).length
        counts.after += after.filter(({ status }) => status === 200).length
        counts.odd += [...during, ...after].filter(({ status }) => status !== 200 && status !== 401).length
      }
  }
  const people = await Promise.all(Array.from({ length: lanes }, () => found(plain)))
  const startedAt = performance.now()
  await Promise.all(people.map(({ owner }) => race(owner)))
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  process.stdout.write(`${JSON.stringify({ ...counts, seconds })}\n`)
  expect(counts).toMatchObject({ after: 0, odd: 0 })
  expect(counts.races).toBeGreaterThanOrEqual(revokeRaces)
  // Some were in time, and their lists came from the replica.
  expect(counts.during).toBeGreaterThan(0)
  expect(nodes.every(({ reads }, index) => reads.replica > before[index]!)).toBe(true)
})
