import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Call } from '../../../shared/contract/call.ts'
import { ownFieldUse } from '../../../shared/own-fields.ts'
import { dump, knownCalls } from '../../testing/calls.ts'
import { inTurn } from '../../testing/rounds.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const service = useTestService()
/** All that there is, which nothing here changes. */
let stored: string
const ann = useMade(() => service.person())
beforeAll(async () => {
  stored = await dump(service)
})

const posts = knownCalls.filter(({ call }) => call.method === 'POST')
const gets = knownCalls.filter(({ call }) => call.method === 'GET')
const allFields = (calls: typeof posts) =>
  calls.flatMap(({ fields, ...known }) =>
    Object.entries(fields).flatMap(([field, schema]) =>
      [[field, schema] as const, ...innerFields(field, schema)].filter(isOnWire).map(([name, inner]) => ({
        ...known,
        field: name,
        schema: inner,
      })),
    ),
  )

/** Own fields are members of the input itself. */
const isOnWire = ([, schema]: readonly [string, z.ZodType]) => !ownFieldUse({ fields: schema })

/** The fields of a field that is an object, as `data.name`. */
const innerFields = (field: string, schema: z.ZodType): (readonly [string, z.ZodType])[] =>
  schema instanceof z.ZodPrefault
    ? innerFields(field, schema.unwrap() as z.ZodType)
    : schema instanceof z.ZodObject
      ? Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, inner]) => [`${field}.${name}`, inner])
      : []

/** An input with another value in one field, which may be one of an inner object. */
function put(input: Readonly<Record<string, unknown>>, field: string, value: unknown): Record<string, unknown> {
  const [name = '', inner] = field.split('.')
  return { ...input, [name]: inner === undefined ? value : { ...Object(input[name]), [inner]: value } }
}

const refusal = { status: 400, body: { code: 'VALIDATION_ERROR', message: 'Invalid body parameters' } }
const lead = (status: number) => ({ status, body: undefined })
const refusedQuery = { status: 400, body: { code: 'VALIDATION_ERROR', message: 'Invalid query parameters' } }
const oauthRefusal = { status: 400, body: { error: 'invalid_request', error_description: 'Invalid parameters' } }
/** How a call tells that its input is not acceptable; where a person looks on, the way leads to a page instead. */
function refusalOf({ method, inputRefusal, whenUnreadable }: Call) {
  if (whenUnreadable) return lead(method === 'GET' ? 302 : 303)
  if (inputRefusal) return oauthRefusal
  return method === 'GET' ? refusedQuery : refusal
}
/** Without the fields that a VALIDATION_ERROR names; these say what is expected, and nothing of what was sent. */
function seen({ status, body }: Reply) {
  if (!body?.details) return { status, body }
  const { details: _, ...told } = body
  return { status, body: told }
}

const pathsOf = ({ body }: Reply): readonly string[] =>
  (body?.details as { path: string }[] | undefined)?.map(({ path }) => path) ?? []

type Kinds = { type?: string | string[]; anyOf?: ({ type: string } | { type: undefined; anyOf: { type: string }[] })[] }

/** What the schema says of itself, in the words of JSON. */
function kindsOf(schema: z.ZodType): readonly string[] | null {
  const { type, anyOf } = z.toJSONSchema(schema, { io: 'input' }) as Kinds
  const kinds = anyOf ? anyOf.flatMap((variant) => variant.type ?? variant.anyOf.map((inner) => inner.type)) : type
  return kinds === undefined ? null : [kinds].flat()
}

const wrong: readonly unknown[] = [null, true, false, 0, 1.5, [], ['x'], {}, { x: 1 }, 'text', '', 'true']
const kindOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

const isOf = (kinds: readonly string[], value: unknown): boolean =>
  kinds.includes(kindOf(value)) || (kinds.includes('integer') && Number.isInteger(value))

const typedLists = allFields(posts).filter(({ schema }) => kindsOf(schema)?.includes('array'))

/** Texts that PostgreSQL cannot keep. */
const unstorable = ['\0', 'x\0y', '\ud800', 'x\udc00', '\udc00\ud800', 'ok\ud83dok']

describe('a value of another type', () => {
  const typed = allFields(posts).filter(({ schema }) => kindsOf(schema))

  it.each(inTurn(typed))(
    'in $field of $name is 400 and writes nothing',
    async ({ call, path, headers, input, field, schema }) => {
      const kinds = kindsOf(schema) ?? []
      const values = wrong.filter((value) => !isOf(kinds, value))
      expect(values.length).toBeGreaterThanOrEqual(kinds.length > 1 ? 6 : 8)
      for (const value of values) {
        const reply = await ann.post(path, put(input, field, value), headers)
        expect([value, seen(reply)]).toEqual([value, refusalOf(call)])
        expect([value, pathsOf(reply)]).toEqual([value, reply.body?.code ? [field] : []])
      }
      expect(await dump(service)).toBe(stored)
    },
  )

  it('covers the fields that matter', () => {
    expect(typed.map(({ name, field }) => `${name}.${field}`)).toEqual(
      expect.arrayContaining([
        'signUpEmail.email',
        'signUpEmail.password',
        'signInEmail.rememberMe',
        'revokeSession.token',
        'create.metadata',
        'update.data.slug',
        'setActive.organizationId',
        'inviteMember.role',
        'updateTeam.data.name',
      ]),
    )
  })
})

it.each(typedLists)(
  'a list in $field of $name that holds something else is 400',
  async ({ call, path, headers, input, field }) => {
    for (const value of [[1], ['member', null], [['member']], [{}], [true]])
      expect(seen(await ann.post(path, put(input, field, value), headers))).toEqual(refusalOf(call))
  },
)

describe('a text that cannot be stored', () => {
  let turn = 0

  it.each(inTurn(allFields(posts), 1))(
    'in $field of $name is 400 and writes nothing',
    async ({ call, path, headers, input, field }) => {
      for (const text of unstorable)
        expect([text, seen(await ann.post(path, put(input, field, text), headers))]).toEqual([text, refusalOf(call)])
      // One of them in each place: the others are found there in other fields.
      turn += 1
      const one = unstorable[turn % unstorable.length] ?? ''
      for (const value of [[{ deep: one }], { [one]: 1 }])
        expect([value, seen(await ann.post(path, put(input, field, value), headers))]).toEqual([value, refusalOf(call)])
      expect(await dump(service)).toBe(stored)
    },
  )

  it.each(inTurn(posts))(
    'in a name that $name does not know is 400 and writes nothing',
    async ({ call, path, headers, input }) => {
      for (const text of unstorable) {
        expect([text, seen(await ann.post(path, { ...input, [text]: 1 }, headers))]).toEqual([text, refusalOf(call)])
        expect([text, seen(await ann.post(path, { ...input, more: text }, headers))]).toEqual([text, refusalOf(call)])
      }
      expect(await dump(service)).toBe(stored)
    },
  )

  it.each(gets)('in the query of $name is 400', async ({ call, path, fields }) => {
    for (const field of [...Object.keys(fields), 'more', 'x%00'])
      expect(seen(await ann.get(`${path}?${field}=a%00b`))).toEqual(refusalOf(call))
  })

  it.each(inTurn(knownCalls))(
    'in the path, a cookie, the client’s name or a token of $name is harmless',
    async ({ call, path: name }) => {
      const visitor = service.visitor()
      const ask = (headers: Record<string, string>) =>
        call.method === 'GET' ? visitor.get(name, headers) : visitor.post(name, {}, headers)
      for (const text of ['%00', 'x%00.%00', '%ed%a0%80', '%ff', '%', '\xff\xfe', '\x7f']) {
        const replies = [
          await ask({ cookie: `postern.session_token=${text}; postern.session_data=${text}; ${text}=x` }),
          await ask({ 'user-agent': text }),
          await ask({ authorization: `Bearer ${text}` }),
          await ask({ 'x-forwarded-for': text }),
        ]
        for (const { status } of replies) expect([text, status < 500]).toEqual([text, true])
      }
      expect((await visitor.get(`${name}%00`)).status).toBe(404)
      expect((await visitor.get(`${name}%ed%a0%80`)).status).toBe(404)
    },
  )
})

it('keeps the name of a client short and without what moves a cursor', async () => {
  const { email } = await service.person()
  const body = { email, password: 'correct horse battery staple' }
  const visitor = service.visitor()
  await visitor.post('/sign-in/email', body, { 'user-agent': `a\x7fb\x9bc\td${'x'.repeat(8000)}` })
  const { userAgent } = (await visitor.get('/get-session')).body.session
  expect(userAgent).toBe(`a b c d${'x'.repeat(505)}`)
})

describe('a long value', () => {
  // The slow way round of each check; an attempt that is not linear would take seconds or minutes here.
  const worst = [
    `${'a.'.repeat(30_000)}@`,
    `${'a'.repeat(60_000)}@b.co`,
    `a@${'b.'.repeat(30_000)}`,
    `a@${'b-'.repeat(30_000)}.co`,
    `${'@'.repeat(60_000)}`,
    `/${'%2f'.repeat(20_000)}`,
    `/${'a'.repeat(60_000)}?${'='.repeat(10)}#`,
    `http://${'a.'.repeat(30_000)}`,
    `${'x'.repeat(60_000)}!`,
    `${'\u0301'.repeat(29_000)}`,
  ]

  let place = 0

  it.each(inTurn(allFields(posts), 2))(
    'in $field of $name is looked at once',
    async ({ path, headers, input, field }) => {
      place += 1
      for (const text of inTurn(worst, place)) {
        const { status } = await service.visitor().post(path, put(input, field, text), headers)
        // 422 for whoever has signed up meanwhile: a sign-up ignores some fields.
        expect([200, 303, 400, 401, 403, 404, 422]).toContain(status)
      }
    },
  )
})
