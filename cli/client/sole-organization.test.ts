import { afterAll, beforeEach, expect, test } from 'vitest'
import { type AnsweringService, type Reply, startAnswers } from '../testing/answers.ts'
import { patience } from '../testing/patience.ts'
import { createClient } from './client.ts'
import type { SendRequest } from './connection.ts'
import { withSoleOrganization } from './sole-organization.ts'
import { createTransport } from './transport/transport.ts'

const service: AnsweringService = await startAnswers({})
const transport = createTransport({ baseUrl: `${service.url}/api/auth`, timeout: patience, retries: 0, userAgent: 'x' })
afterAll(async () => {
  await transport.close()
  await service.close()
})

const refusal = (code: string, status = 400): Reply => ({ status, body: { code, message: 'no' } })
const organization = { name: 'O', slug: 'o', logo: null, metadata: null, createdAt: '2026-01-02T03:04:05.000Z' }
const belongTo = (...ids: readonly string[]) => {
  service.answers['GET /organization/list'] = { body: ids.map((id) => ({ ...organization, id })) }
}
const connect = () => {
  const send: SendRequest = (request) => transport.send(request)
  const api = createClient(send)
  return withSoleOrganization({ server: service.url, api, quietApi: api, send, onRequest: () => () => {} }).api
}
const ops = { name: 'Ops' }
const seen = () => service.seen.filter(({ call }) => call !== 'GET /organization/list')

beforeEach(() => {
  for (const call of Object.keys(service.answers)) delete service.answers[call]
  belongTo('only')
  service.forget()
})

test.each(['NO_ACTIVE_ORGANIZATION', 'ORGANIZATION_ID_IS_REQUIRED', 'ORGANIZATION_NOT_FOUND'])(
  'what %s refuses is asked again of the only organization, which is looked up once',
  async (code) => {
    service.answers['POST /organization/create-team'] = refusal(code)
    const api = connect()
    for (const _ of [1, 2]) await expect(api.team.createTeam(ops)).rejects.toMatchObject({ code })
    expect(seen().map(({ body }) => body)).toEqual([
      ops,
      { ...ops, organizationId: 'only' },
      ops,
      { ...ops, organizationId: 'only' },
    ])
    expect(service.seen).toHaveLength(5)
  },
)

test.each<[string, readonly string[], object, Reply]>([
  [
    'one that is named, though it is not found',
    ['only'],
    { organizationId: 'gone' },
    refusal('ORGANIZATION_NOT_FOUND'),
  ],
  ['one of several', ['one', 'other'], {}, refusal('NO_ACTIVE_ORGANIZATION')],
  ['the service, when it has failed', ['only'], {}, refusal('NO_ACTIVE_ORGANIZATION', 500)],
])('nothing is asked again of %s', async (_, mine, argument, answer) => {
  belongTo(...mine)
  service.answers['POST /organization/create-team'] = answer
  await expect(connect().team.createTeam({ ...ops, ...argument })).rejects.toMatchObject({ status: answer.status })
  expect(seen().map(({ body }) => body)).toEqual([{ ...ops, ...argument }])
})

test('a slug that nobody has is not the only organization', async () => {
  service.answers['GET /organization/get-full-organization'] = { body: null }
  expect(await connect().organization.getFullOrganization({ organizationSlug: 'nobody' })).toBeNull()
  expect(seen()).toHaveLength(1)
})
