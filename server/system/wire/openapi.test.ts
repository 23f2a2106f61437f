import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallGroup } from '../../../shared/contract/call.ts'
import { contract } from '../../../shared/contract/index.ts'
import { deviceAnswers } from '../../testing/device.ts'
import { faultsOf, type Schema, violationsOf } from '../../testing/json-schema.ts'
import { organizationAnswers } from '../../testing/organization-answers.ts'
import { createTestService, type TestService, testPassword } from '../../testing/service.ts'
import type { Reply } from '../../testing/visitor.ts'

interface Answer {
  readonly description: string
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}
interface Operation {
  readonly operationId: string
  readonly security: readonly object[]
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: { readonly 'application/json': { schema: Schema } }
  }
  readonly responses: Readonly<Record<string, Answer>>
}
interface Document {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly securitySchemes: Readonly<Record<string, object>> }
}

let service: TestService
let document: Document
beforeAll(async () => {
  service = await createTestService()
  document = (await service.visitor().get('/openapi.json')).body
})
afterAll(() => service.stop())

const calls = Object.values(contract as Record<string, CallGroup>).flatMap((group) => Object.entries(group))
const operations = () => Object.values(document.paths).flatMap((methods) => Object.values(methods))

describe('the OpenAPI document', () => {
  it('says where the API is', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Postern', version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
      servers: [{ url: 'http://localhost:4100/api/auth' }],
    })
  })

  it('has every call of the contract, and no other', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
    )
    expect(described.toSorted()).toEqual(calls.map(([name, call]) => `${name} ${call.method} ${call.path}`).toSorted())
  })

  it('names only security schemes that it has', () => {
    const named = operations().flatMap(({ security }) => security.flatMap((choice) => Object.keys(choice)))
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(document.components.securitySchemes).toSorted())
  })

  it('asks for a session exactly where the contract does', () => {
    const schemes = { anyone: '', visitor: ',cookie,bearer', session: 'cookie,bearer', server: 'serviceKey' }
    for (const [name, { access }] of calls) {
      const asked = operationOf(name).security.map((choice) => Object.keys(choice).join('+'))
      expect([name, asked.join(',')]).toEqual([name, schemes[access]])
    }
  })

  it('holds only sound schemas, and a description for every answer', () => {
    for (const { operationId, parameters = [], requestBody, responses } of operations()) {
      const schemas = [
        ...parameters.map(({ schema }) => schema),
        ...Object.values(requestBody?.content ?? {}).map(({ schema }) => schema),
        ...Object.values(responses).flatMap(({ content = {} }) => Object.values(content).map(({ schema }) => schema)),
      ]
      expect(schemas.flatMap((schema) => faultsOf(schema, operationId))).toEqual([])
      expect(Object.keys(responses).some((status) => ['200', '302', '303'].includes(status))).toBe(true)
      for (const { description } of Object.values(responses)) expect(description).toMatch(/\S/)
    }
  })
})

describe('what the service answers is what the document describes', () => {
  const person = () => service.person()
  const visitor = () => Promise.resolve(service.visitor())
  const account = () => ({ email: `ann-${crypto.randomUUID()}@example.com`, password: testPassword, name: 'Ann' })

  it.each<[operation: string, does: string, () => Promise<Reply>]>([
    ['signUpEmail', 'a new account', async () => (await visitor()).post('/sign-up/email', account())],
    [
      'signUpEmail',
      'a bad address',
      async () => (await visitor()).post('/sign-up/email', { ...account(), email: 'x' }),
    ],
    [
      'signInEmail',
      'a sign-in',
      async () => {
        const { email } = await person()
        return service.visitor().post('/sign-in/email', { email, password: testPassword, callbackURL: '/home' })
      },
    ],
    ['signInEmail', 'a wrong password', async () => (await visitor()).post('/sign-in/email', account())],
    [
      'signInEmail',
      'a foreign target',
      async () => (await visitor()).post('/sign-in/email', { ...account(), errorCallbackURL: 'https://evil.example' }),
    ],
    ['signOut', 'a sign-out', async () => (await person()).post('/sign-out')],
    ['signOut', 'a sign-out of nobody', async () => (await visitor()).post('/sign-out')],
    ['updateUser', 'a new name', async () => (await person()).post('/update-user', { name: 'Anna' })],
    ['updateUser', 'a name of the wrong type', async () => (await person()).post('/update-user', { name: 1 })],
    ['updateUser', 'nobody', async () => (await visitor()).post('/update-user', { name: 'Anna' })],
    ['getSession', 'a session', async () => (await person()).get('/get-session')],
    ['getSession', 'no session', async () => (await visitor()).get('/get-session')],
    ['listSessions', 'the sessions', async () => (await person()).get('/list-sessions')],
    ['revokeSession', 'an unknown session', async () => (await person()).post('/revoke-session', { token: 'x' })],
    ['revokeSessions', 'all sessions', async () => (await person()).post('/revoke-sessions')],
    ['revokeOtherSessions', 'the others', async () => (await person()).post('/revoke-other-sessions')],
    ['ok', 'life', async () => (await visitor()).get('/ok')],
    ['ready', 'readiness', async () => (await visitor()).get('/ready')],
    ...Object.entries({ ...deviceAnswers(() => service), ...organizationAnswers(() => service) }).map(
      ([name, act]): [string, string, () => Promise<Reply>] => [name, 'all that it can hold', act],
    ),
  ])('%s: %s', async (name, _does, act) => {
    const { status, body, text } = await act()
    const answer = operationOf(name).responses[status]
    expect(answer, `${status} of ${name}`).toBeDefined()
    const content = answer?.content?.['application/json']
    expect(content ? violationsOf(content.schema, body) : text).toEqual(content ? [] : '')
  })

  it('error: a page', async () => {
    const { headers, text } = await service.visitor().get('/error')
    expect(Object.keys(operationOf('error').responses[200]?.content ?? {})).toEqual(['text/html'])
    expect([headers.get('content-type'), typeof text]).toEqual(['text/html; charset=utf-8', 'string'])
  })
})

function operationOf(name: string): Operation {
  const found = operations().find(({ operationId }) => operationId === name)
  if (!found) throw new Error(`${name} is not described`)
  return found
}
