import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { contract } from '../../shared/contract/index.ts'
import { type AnsweringService, startAnswers } from '../testing/answers.ts'
import { createClient } from './client.ts'
import { AddressError } from './errors.ts'
import { createTransport, type Transport } from './transport.ts'

let service: AnsweringService
let transport: Transport
beforeAll(async () => {
  service = await startAnswers({})
  transport = createTransport({ baseUrl: `${service.url}/api/auth`, timeout: 5_000, retries: 0, userAgent: 'x' })
})
afterEach(() => service.forget())
afterAll(async () => {
  await transport.close()
  await service.close()
})

const api = () => createClient(contract, (request) => transport.send(request))
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

test.each(hostile)('the id %j stays one value of the query, and of the body', async (id) => {
  await expect(api().organization.getFullOrganization({ organizationId: id })).rejects.toMatchObject({ status: 404 })
  await expect(api().organization.remove({ organizationId: id })).rejects.toMatchObject({ status: 404 })
  expect(service.seen).toMatchObject([
    { call: 'GET /organization/get-full-organization', query: { organizationId: id } },
    { call: 'POST /organization/delete', query: {}, body: { organizationId: id } },
  ])
})

test('of an answer only what the contract names is kept, and only its dates are dates', async () => {
  const name = '2024-01-01T00:00:00.000Z'
  const row = { id: 'o1', name, slug: 'acme', logo: null, metadata: { since: name }, createdAt: name, password: 'x' }
  service.answers['GET /organization/list'] = { body: [{ ...row, constructor: { prototype: { admin: true } } }] }
  const [organization] = await api().organization.list()
  const { password: _, ...known } = row
  expect(organization).toEqual({ ...known, createdAt: new Date(name) })
  expect(Object.getOwnPropertyNames(organization)).toEqual(Object.keys(known))
})

test('input that the service finds invalid is explained field by field, as the contract has it', async () => {
  service.answers['POST /organization/check-slug'] = {
    status: 400,
    body: { code: 'VALIDATION_ERROR', message: 'Invalid body parameters' },
  }
  await expect(api().organization.checkSlug({ slug: 'Bad Slug' })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    message: 'Invalid body parameters: slug: letters, digits and -, at most 64',
    fields: ['slug'],
  })
})
