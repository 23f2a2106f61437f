import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type AnsweringService, fullUser, type Reply, type Seen, session, startAnswers } from '../testing/answers.ts'
import { patience } from '../testing/patience.ts'
import { createClient } from './client.ts'
import { AddressError } from './errors.ts'
import { createTransport, type Transport } from './transport/transport.ts'

let service: AnsweringService
let transport: Transport
beforeAll(async () => {
  service = await startAnswers({})
  transport = createTransport({ baseUrl: `${service.url}/api/auth`, timeout: patience, retries: 0, userAgent: 'x' })
})
afterEach(() => service.forget())
afterAll(async () => {
  await transport.close()
  await service.close()
})

const api = () => createClient((request) => transport.send(request))
const hostile = [
  '../../admin/ban-user',
  '../delete-user?x=1',
  '?x',
  '#',
  'a/b',
  '\\..\\a',
  '%2e%2e/a',
  'a\r\nb',
  ' ',
  'é',
]

test.each(hostile)('the id %j stays one part of the path', async (token) => {
  await expect(api().password.openResetLink({ token, callbackURL: '/' })).rejects.toMatchObject({ status: 404 })
  const { url } = service.requests.at(-1)!
  expect(url).toBe(`/api/auth/reset-password/${encodeURIComponent(token)}?callbackURL=%2F`)
})

test.each(['.', '..'])('the id %j, which no encoding hides, is not sent', async (token) => {
  await expect(api().password.openResetLink({ token, callbackURL: '/' })).rejects.toBeInstanceOf(AddressError)
  expect(service.seen).toEqual([])
})

test.each(['.', '..'])('the id %j is no path whatever sends it', async (token) => {
  const sent: unknown[] = []
  const { password } = createClient(async (request) => {
    sent.push(request)
    return { status: 200, headers: {}, body: {} }
  })
  await expect(password.openResetLink({ token, callbackURL: '/' })).rejects.toBeInstanceOf(AddressError)
  expect(sent).toEqual([])
})

test.each(hostile)('the id %j stays one value of the query, and of the body', async (id) => {
  await expect(api().organization.getFullOrganization({ organizationId: id })).rejects.toMatchObject({ status: 404 })
  await expect(api().organization.remove({ organizationId: id })).rejects.toMatchObject({ status: 404 })
  expect(service.seen).toMatchObject([
    { call: 'GET /organization/get-full-organization', query: { organizationId: id } },
    { call: 'POST /organization/delete', query: {}, body: { organizationId: id } },
  ])
})

test('the calls of a noun are a thing like others: it can be awaited and compared', async () => {
  const { organization } = api()
  expect(Reflect.get(organization, 'then')).toBeUndefined()
  expect(await Promise.resolve(organization)).toBe(organization)
  expect(organization.list).toBe(organization.list)
  expect(organization.list).not.toBe(organization.create)
  expect(Reflect.get(organization, Symbol.iterator)).toBeUndefined()
})

test('of an answer only what the contract names is kept, and only its dates are dates', async () => {
  const name = '2024-01-01T00:00:00.000Z'
  const row = { id: 'o1', name, slug: 'acme', logo: null, metadata: { since: name }, createdAt: name, password: 'x' }
  service.answers['GET /organization/list'] = { body: [{ ...row, constructor: { prototype: { admin: true } } }] }
  const [organization] = await api().organization.list()
  const { password, ...known } = row
  expect(organization).toEqual({ ...known, createdAt: new Date(name), fields: { password } })
  expect(Object.getOwnPropertyNames(organization)).toEqual([...Object.keys(known), 'fields'])
})

test('what an older service does not know yet is null where it may be, and missed where it may not', async () => {
  const { label: _, ...old } = session
  service.answers['GET /list-sessions'] = { body: [old, session] }
  service.answers['GET /get-session'] = { body: { session: old, user: fullUser } }
  expect(await api().session.listSessions()).toMatchObject([{ id: 's1', label: null }, { label: 'laptop' }])
  expect(await api().session.getSession({})).toMatchObject({ session: { label: null } })
  const { userId: __, ...broken } = old
  service.answers['GET /list-sessions'] = { body: [broken] }
  await expect(api().session.listSessions()).rejects.toThrow('userId')
})

test.each([
  { code: 'VALIDATION_ERROR', message: 'Invalid body parameters' },
  { error: 'invalid_request', error_description: 'Invalid body parameters' },
])('input that the service finds invalid by %j is explained field by field, as the contract has it', async (body) => {
  service.answers['POST /organization/check-slug'] = { status: 400, body }
  await expect(api().organization.checkSlug({ slug: 'Bad Slug' })).rejects.toMatchObject({
    code: body.code ?? body.error,
    message: 'Invalid body parameters',
    problems: [{ path: 'slug', message: 'Expected letters, digits and -, at most 64' }],
  })
})

test('the fields that a service names stand as it names them, whatever else is there', async () => {
  const details = [{ path: 'data.slug', message: 'Expected a slug' }, { path: 1 }, null, 'x', { message: 'y' }]
  service.answers['POST /organization/check-slug'] = {
    status: 400,
    body: { code: 'VALIDATION_ERROR', message: 'Invalid body parameters', details },
  }
  await expect(api().organization.checkSlug({ slug: 'Bad Slug' })).rejects.toMatchObject({
    problems: [{ path: 'data.slug', message: 'Expected a slug' }],
  })
})

test.each<[string, Reply, object]>([
  [
    'a body of OAuth',
    { body: { error: 'invalid_grant', error_description: 'Used up' } },
    { code: 'invalid_grant', message: 'Used up' },
  ],
  ['X-Retry-After', { headers: { 'x-retry-after': '7' } }, { retryAfter: 7 }],
  ['Retry-After', { headers: { 'retry-after': '7', 'x-retry-after': '8' } }, { retryAfter: 7 }],
  ['X-Limit', { headers: { 'x-limit': '64' } }, { limit: 64 }],
  ['X-Limit that is no number', { headers: { 'x-limit': 'many' } }, { limit: undefined }],
  ['nothing', {}, { message: 'The service refused the call (status 400)', code: undefined }],
  ['nothing but 401', { status: 401 }, { message: 'Not signed in' }],
])('a refusal with %s is read', async (_, reply, told) => {
  service.answers['POST /organization/check-slug'] = { status: 400, ...reply }
  await expect(api().organization.checkSlug({ slug: 'acme' })).rejects.toMatchObject(told)
})

test('of a thousand wrong fields twenty are told', async () => {
  const details = Array.from({ length: 1000 }, (_, at) => ({ path: `f${at}`, message: 'Expected a text' }))
  service.answers['POST /organization/check-slug'] = { status: 400, body: { code: 'VALIDATION_ERROR', details } }
  await expect(api().organization.checkSlug({ slug: 'acme' })).rejects.toMatchObject({ problems: details.slice(0, 20) })
})

const organizations = Array.from({ length: 25 }, (_, n) => ({
  id: `o${n}`,
  name: 'Acme',
  slug: `acme-${n}`,
  logo: null,
  metadata: null,
  createdAt: '2024-01-01T00:00:00.000Z',
}))
const next = (offset: number) => ({ link: `<?offset=0>; rel="prev", <?x=1&offset=${offset}>; rel="next"` })

test('a list is read to its end, page by page, unless a page is asked for', async () => {
  service.answers['GET /organization/list'] = ({ query: { offset = '0' } }) => {
    const body = organizations.slice(Number(offset), Number(offset) + 10)
    return { body, headers: Number(offset) < 20 ? next(Number(offset) + 10) : {} }
  }
  const found = await api().organization.list()
  expect(found.map(({ id }) => id)).toEqual(organizations.map(({ id }) => id))
  expect(service.seen.map(({ query }) => query)).toEqual([{}, { offset: '10' }, { offset: '20' }])
  expect(await api().organization.list({ offset: '10' })).toHaveLength(10)
  expect(await api().organization.list({ limit: '10' })).toHaveLength(10)
  expect(service.seen).toHaveLength(5)
})

test.each([
  ['goes on where it began', () => ({ body: organizations, headers: next(0) })],
  ['leaves some out', () => ({ body: organizations, headers: next(26) })],
  ['goes on with nothing', ({ query }: Seen) => ({ body: query['offset'] ? [] : organizations, headers: next(25) })],
  [
    'goes on with something else',
    ({ query }: Seen) => ({ body: query['offset'] ? {} : organizations, headers: next(25) }),
  ],
])('a list that %s is none of the service', async (_name, answer) => {
  service.answers['GET /organization/list'] = answer
  await expect(api().organization.list()).rejects.toMatchObject({ name: 'AnswerError', exitCode: 11 })
})

test('a list that never ends is given up', async () => {
  const [one] = organizations
  service.answers['GET /organization/list'] = ({ query: { offset = '0' } }) => ({
    body: [one],
    headers: next(Number(offset) + 1),
  })
  await expect(api().organization.list()).rejects.toMatchObject({ name: 'AnswerError', exitCode: 11 })
  expect(service.seen).toHaveLength(1000)
})

test('a long Link header that leads nowhere does not keep the command line waiting', async () => {
  service.answers['GET /organization/list'] = { body: [], headers: { link: '<?offset=1&'.repeat(1500) } }
  expect(await api().organization.list()).toEqual([])
})

test('a list that is more than is taken at once is asked for in pages, anything else is refused in words', async () => {
  const organization = { id: 'o', name: 'O', slug: 'o', logo: null, createdAt: '2026-01-02T03:04:05.000Z' }
  const large = { ...organization, metadata: { text: 'x'.repeat(60_000) } }
  const next = (offset: number) => ({ link: `</organization/list?offset=${offset}>; rel="next"` })
  service.answers['GET /organization/list'] = ({ query: { limit, offset = '0' } }) => {
    if (limit === undefined) return { body: Array.from({ length: 100 }, () => large) }
    const isLast = offset === '50'
    return { body: Array.from({ length: 50 }, () => large), headers: isLast ? {} : next(50) }
  }
  expect(await api().organization.list()).toHaveLength(100)
  expect(service.seen.map(({ query }) => query)).toEqual([{}, { limit: '50' }, { limit: '50', offset: '50' }])
  service.answers['GET /organization/list-roles'] = { body: [{ role: 'x'.repeat(6_000_000), permissions: {} }] }
  await expect(api().role.listRoles({})).rejects.toMatchObject({
    name: 'AnswerTooLargeError',
    exitCode: 11,
    message: expect.stringContaining('larger than 5 MB'),
  })
})
