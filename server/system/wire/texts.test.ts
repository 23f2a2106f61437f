import { afterAll, beforeAll, expect, it } from 'vitest'
import { sweep } from '../../process/sweeper.ts'
import { adminOf } from '../../testing/admins.ts'
import { allAnswers } from '../../testing/all-answers.ts'
import { type LastRequest, watchRequests } from '../../testing/last-request.ts'
import { organizationKey, ownKey } from '../../testing/machines.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { type Founded, found } from '../../testing/organizations.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'
import { useStarted } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

// A statement's text is made once for each of its forms, and most are prepared on each connection. With a value in its
// text, or a list of values, it would be made and prepared for each request: slowly, and without end.

let service: TestService
let admin: Visitor
let acme: Founded
const last: LastRequest = { trips: 0, texts: [] }
const provider = useStarted(startOpenIdProvider)
beforeAll(async () => {
  service = watchRequests(await createTestService(provider.settings('GOOGLE')), last)
  admin = await adminOf(service)
  acme = await found(service)
})
afterAll(() => service.stop())

/** The texts that requests led to, by call. */
async function textsOf(requests: readonly (() => Promise<unknown>)[]): Promise<ReadonlySet<string>> {
  const texts = new Set<string>()
  for (const request of requests) {
    await request()
    for (const text of last.texts) texts.add(text)
  }
  return texts
}

const answers: Record<string, () => Promise<Reply>> = allAnswers(
  () => service,
  () => provider,
)

it('each call has the texts that are kept here, whoever calls', { timeout: 120_000 * slack }, async () => {
  const counts: Record<string, number> = {}
  for (const [name, act] of Object.entries(answers)) {
    await act()
    const first = await textsOf([act])
    const again = await textsOf([act])
    expect([name, [...again].filter((text) => !first.has(text))]).toEqual([name, []])
    counts[name] = first.size
  }
  expect(counts).toMatchSnapshot()
})

const product = (...parts: readonly (readonly string[])[]): readonly string[] =>
  parts.reduce((all, part) => all.flatMap((one) => part.map((next) => `${one}&${next}`)), [''])

/** Each way to ask for a list, with values of its own each time. */
const lists: Record<string, (word: string) => readonly (() => Promise<unknown>)[]> = {
  listUsers: (word) =>
    [
      ...product(
        ['searchField=email', 'searchField=name'],
        ['contains', 'starts_with', 'ends_with'].map((way) => `searchOperator=${way}&searchValue=${word}`),
        ['id', 'email', 'name', 'createdAt'].map((field) => `sortBy=${field}`),
        ['sortDirection=asc', 'sortDirection=desc'],
      ),
      ...product(
        ['id', 'email', 'name'].map((field) => `filterField=${field}&filterValue=${word}`),
        ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'].map((operator) => `filterOperator=${operator}`),
      ),
      ...product(
        [`filterField=role&filterValue=${word}`, 'filterField=role&filterValue=user'],
        ['eq', 'ne'].map((operator) => `filterOperator=${operator}`),
      ),
    ].map((query) => () => admin.get(`/admin/list-users?limit=${word.length}&offset=${word.length}${query}`)),
  listAuditEvents: (word) => trail(word).map((query) => () => admin.get(`/admin/list-audit-events?${query}`)),
  listActivity: (word) => trail(word).map((query) => () => acme.owner.get(`/list-activity?${query}`)),
  listOrganizationActivity: (word) =>
    trail(word)
      .filter((query) => !query.includes('organizationId'))
      .map((query) => () => acme.owner.get(`/organization/list-activity?${query}`)),
  listInvitations: (word) =>
    ['all', 'pending', 'accepted', 'rejected', 'canceled'].map(
      (status) => () => acme.owner.get(`/organization/list-invitations?status=${status}&limit=${word.length}`),
    ),
}

const trail = (word: string) =>
  product(
    ['', `userId=${word}`, `actorId=${word}`, `organizationId=${word}`],
    ['', 'event=sign-in', 'event=sign-in-done,sign-up-done,team-created'],
    ['', 'since=2026-01-01T00:00:00Z', 'until=2026-01-01T00:00:00Z'],
  ).map((query) => `limit=${word.length}${query}`)

it.each(Object.entries(lists))('%s has as many texts as ways to ask, whatever is asked for', async (_name, ways) => {
  // What is refused has no text of a list.
  const answered = (word: string) =>
    ways(word).map((ask) => async () => expect(await ask()).toMatchObject({ status: 200 }))
  const first = await textsOf(answered('abc'))
  expect([...(await textsOf(answered('another-value-of-more-letters')))].filter((text) => !first.has(text))).toEqual([])
  expect(first.size).toMatchSnapshot()
})

const lengths = [1, 2, 7]
const items = (count: number) => Array.from({ length: count }, (_, index) => index)

/** What takes a list, with lists of several lengths. */
const sized: Record<string, (length: number) => Promise<unknown>> = {
  'a key with scopes and addresses': (length) =>
    ownKey(acme.owner, {
      scopes: ['member:create', 'team:create', 'team:update', 'team:delete'].slice(0, Math.min(length, 4)),
      ipRanges: items(length).map((index) => `10.0.${index}.0/24`),
    }),
  'roles of a user': async (length) => {
    const { body } = await admin.get(`/admin/list-users?filterField=email&filterValue=${acme.owner.email}`)
    const role = ['admin', 'user'].slice(0, Math.min(length, 2)).join(',')
    return admin.post('/admin/set-role', { userId: body.users[0].id, role })
  },
  'a member with machines that end too': async (length) => {
    const maker = await acme.join('admin')
    for (const index of items(length))
      await organizationKey({ ...acme, owner: maker }, { name: `key ${index}`, role: 'member' })
    return acme.owner.post('/organization/remove-member', { memberIdOrEmail: maker.memberId, keys: 'revoke' })
  },
  'a user with organizations': async (length) => {
    const person = (await found(service)).owner
    for (const index of items(length))
      await person.post('/organization/create', { name: 'More', slug: `${crypto.randomUUID()}-${index}` })
    return person.post('/delete-user')
  },
  'sessions of a user': async (length) => {
    const person = await service.person()
    const signIn = { email: person.email, password: 'correct horse battery staple' }
    for (const _ of items(length)) await service.visitor().post('/sign-in/email', signIn)
    return person.post('/revoke-sessions')
  },
}

it.each(Object.entries(sized))('%s: as many texts for a long list as for a short one', async (_name, act) => {
  const texts: ReadonlySet<string>[] = []
  for (const length of lengths) texts.push(await textsOf([() => act(length)]))
  const [short = new Set()] = texts
  expect(short.size).toBeGreaterThan(1)
  expect(texts.map((each) => [...each].filter((text) => !short.has(text)))).toEqual(lengths.map(() => []))
})

it('the sweep has the same texts for many rows as for few', async () => {
  const ask = async () => {
    service.statements.forget()
    await sweep(service.deps, { share: 1 })
    return new Set(service.statements.list)
  }
  const first = await ask()
  await service.deps.sql`update sessions set expires_at = now() - interval '1 day'`
  const again = await ask()
  expect([...again].filter((text) => !first.has(text))).toEqual([])
})
