import { beforeAll, describe, expect, it } from 'vitest'
import type { CallGroup } from '../../../shared/contract/call.ts'
import { contract } from '../../../shared/contract/index.ts'
import { tagTexts } from '../../../shared/openapi-tags.ts'
import { fieldTexts } from '../../../shared/openapi-texts.ts'
import { deviceAnswers } from '../../testing/device.ts'
import { faultsOf, type Schema, violationsOf } from '../../testing/json-schema.ts'
import { type OpenApiDocument, readOpenApi, withoutReferences } from '../../testing/openapi-document.ts'
import { organizationAnswers } from '../../testing/organization-answers.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const service = useTestService()
let document: OpenApiDocument
beforeAll(async () => {
  document = withoutReferences(await readOpenApi(service))
})

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

  it('lists no refusal that is none for the clients of the chosen version', async () => {
    const newer = withoutReferences(await readOpenApi(await service.sibling({ CLIENT_API: '1.7' })))
    const refusals = [document, newer].map(({ paths }) => JSON.stringify(paths['/sign-out']?.['post']?.responses))
    expect(refusals.map((text) => text.includes('FAILED_TO_GET_SESSION'))).toEqual([true, false])
  })

  it('names only security schemes that it has', () => {
    const named = operations().flatMap(({ security }) => security.flatMap((choice) => Object.keys(choice)))
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(document.components.securitySchemes).toSorted())
  })

  it('asks for a session exactly where the contract does', () => {
    const schemes = { anyone: '', visitor: ',cookie,bearer', session: 'cookie,bearer', server: 'serviceKey' }
    for (const [name, { access, readsSession }] of calls) {
      const asked = operationOf(name).security.map((choice) => Object.keys(choice).join('+'))
      expect([name, asked.join(',')]).toEqual([name, schemes[readsSession ? 'visitor' : access]])
    }
  })

  it('offers the session also to calls that read it themselves: a generated client sends no other', () => {
    for (const name of ['getSession', 'listDeviceSessions', 'signOut'])
      expect([name, operationOf(name).security]).toEqual([name, [{}, { cookie: [] }, { bearer: [] }]])
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

describe('its words', () => {
  it('describe every part of the API, every parameter and every field', () => {
    const words = /^\S.*\S$/
    expect(document.tags.filter(({ description }) => !words.test(description ?? ''))).toEqual([])
    expect(operations().flatMap(({ tags }) => tags)).toEqual(
      expect.arrayContaining(document.tags.map(({ name }) => name)),
    )
    const told = (name: string, schema: Schema) => (words.test(schema.description ?? '') ? [] : [name])
    const fields = schemasOf(document).flatMap(({ properties = {} }) => Object.entries(properties))
    const parameters = operations().flatMap(({ parameters: own = [] }) => own)
    expect([...new Set(fields.flatMap(([name, schema]) => told(name, schema)))]).toEqual([])
    expect(parameters.filter(({ description }) => !words.test(description ?? ''))).toEqual([])
  })

  it('are about fields and nouns that there are', () => {
    const used = new Set([
      ...schemasOf(document).flatMap(({ properties = {} }) => Object.keys(properties)),
      ...operations().flatMap(({ parameters = [] }) => parameters.map(({ name }) => name)),
    ])
    expect(Object.keys(fieldTexts).filter((name) => !used.has(name))).toEqual([])
    expect(Object.keys(tagTexts)).toEqual(Object.keys(contract))
  })

  it('name each entity once, wherever it stands', async () => {
    const raw = await readOpenApi(service)
    expect(Object.keys(raw.components.schemas).toSorted()).toMatchInlineSnapshot(`
      [
        "AuditEventView",
        "FullOrganization",
        "FullUser",
        "Invitation",
        "InvitationView",
        "ListedOrganization",
        "ListedTeam",
        "MachineKey",
        "Member",
        "MemberView",
        "Metadata",
        "NewMachineKey",
        "Organization",
        "OrganizationName",
        "PublicKey",
        "Session",
        "SessionView",
        "SigningKey",
        "Team",
        "TrustRule",
        "User",
      ]
    `)
    const text = JSON.stringify(raw.paths)
    for (const name of Object.keys(raw.components.schemas))
      expect(text + JSON.stringify(raw.components)).toContain(`"#/components/schemas/${name}"`)
    expect(text).not.toContain('$defs')
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

function operationOf(name: string) {
  const found = operations().find(({ operationId }) => operationId === name)
  if (!found) throw new Error(`${name} is not described`)
  return found
}

/** Every schema in a part of the document, the inner ones too. */
function schemasOf(part: unknown): Schema[] {
  if (typeof part !== 'object' || part === null) return []
  const inner = Object.values(part).flatMap(schemasOf)
  return 'type' in part || 'anyOf' in part ? [part as Schema, ...inner] : inner
}
