import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { dump, type KnownCall, knownCalls } from '../../testing/calls.ts'
import { found } from '../../testing/organizations.ts'
import { fuzzRuns } from '../../testing/rounds.ts'
import { keepRows } from '../../testing/rows.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

/** FUZZ_SEED repeats a run; FUZZ_RUNS makes it longer. The seed stands in the name of the suite. */
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)

const service = useTestService()
let ann: Visitor & { email: string }
/** What really exists, by the names of fields: a guess never meets it. */
let real: Record<string, string>
let restore: () => Promise<void>
beforeAll(async () => {
  const acme = await found(service)
  const bob = await acme.join('member')
  const id = await acme.invite('bob@example.com')
  ann = acme.owner
  const { memberId, userId, email: memberIdOrEmail } = bob
  const organization = { organizationId: acme.id, organizationSlug: acme.slug, teamId: acme.teamId ?? '' }
  real = { ...organization, id, invitationId: id, memberId, userId, memberIdOrEmail }
  // New accounts and ends of sessions are part of the game; the next round starts as the first one did.
  restore = await keepRows(service)
})

const plain = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength: 20 }),
  fc.emailAddress(),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.constantFrom('', '/', '//evil.test', 'null', '\0', '\ud800', '__proto__', 'a@b.co', "'; drop table users; --"),
  fc.string({ minLength: 1000, maxLength: 3000 }),
)
const text = fc.oneof(
  { weight: 2, arbitrary: plain },
  fc.tuple(plain, fc.constantFrom('\0', '\ud800', '\udfff', '\r\n', '\x1b[2J'), plain).map((parts) => parts.join('')),
)
const anything = fc.oneof(
  text,
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.object({ key: text, maxDepth: 3, values: [text, fc.integer(), fc.boolean(), fc.constant(null)] }),
  fc.array(text, { maxLength: 5 }),
)

/** Ends each password, token and code that is sent, so that an answer shows whether it repeats one. */
const mark = 'never5aidagain'
const marked = (field: string, value: unknown): unknown =>
  typeof value === 'string' && /(?:password|token|code|verifier)$/i.test(field) ? `${value}${mark}` : value

const redirects = ['callbackURL', 'redirectTo', 'errorCallbackURL', 'newUserCallbackURL']

/** The right input with some fields changed, some gone and some beside it; or something else altogether. */
const inputOf = ({ input, fields }: KnownCall): fc.Arbitrary<unknown> => {
  const names = Object.keys(fields)
  const known = fc.oneof(
    { weight: names.length === 0 ? 0 : 4, arbitrary: fc.constantFrom(...names, '') },
    fc.constantFrom(...redirects),
  )
  const one = fc.tuple(known, text).map(([field, value]) => ({ ...input, [field]: value }))
  const several = fc.dictionary(fc.oneof(known, text), anything, { maxKeys: 4 })
  const mixed = fc.tuple(several, fc.subarray(Object.keys(input))).map(([other, gone]) => {
    const kept = Object.entries(input).filter(([field]) => !gone.includes(field))
    return { ...Object.fromEntries(kept), ...other }
  })
  const met = fc.tuple(mixed, fc.subarray(names.filter((name) => name in real))).map(([value, exact]) => ({
    ...value,
    ...Object.fromEntries(exact.map((name) => [name, real[name]])),
  }))
  return fc.oneof(
    { weight: 4, arbitrary: one },
    { weight: 3, arbitrary: mixed },
    { weight: 2, arbitrary: met },
    anything,
  )
}

interface Sent {
  readonly query: string
  readonly init: RequestInit
}

/** A body is right, broken, of another type or cut; a query is what its fields give. */
const requestOf = (known: KnownCall): fc.Arbitrary<Sent> => {
  const body = fc.oneof(
    { weight: 8, arbitrary: inputOf(known).map((value) => JSON.stringify(value, marked)) },
    fc.json(),
    fc.string({ unit: 'binary' }),
    inputOf(known).map((value) => JSON.stringify(value, marked).slice(0, -1)),
  )
  const type = fc.oneof(
    { weight: 8, arbitrary: fc.constant('application/json') },
    fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''),
  )
  const names = Object.keys(known.fields)
  const pair = fc.tuple(fc.oneof(fc.constantFrom(...names, ...redirects), text), text)
  const met = fc.constantFrom(...Object.entries(real).filter(([name]) => names.includes(name)), ['more', ''] as [
    string,
    string,
  ])
  const query = fc
    .array(fc.oneof({ weight: 2, arbitrary: pair }, met), { maxLength: 4 })
    .map((pairs) =>
      new URLSearchParams(
        pairs.map(([name, value]): [string, string] => [name, String(marked(name, value))]),
      ).toString(),
    )
  if (known.call.method === 'GET') return query.map((text) => ({ query: text, init: {} }))
  return fc.tuple(query, body, type).map(([text, body, type]) => {
    const headers = { ...known.headers, 'content-type': type, 'content-length': String(Buffer.byteLength(body)) }
    return { query: text, init: { method: 'POST', body, headers } }
  })
}

/** Every refusal says what it is, or is one of those that have no body. No answer repeats a secret. */
function isAnswer({ status, text: said, body, headers }: Reply): boolean {
  if ([said, ...headers.values()].some((part) => part.toLowerCase().includes(mark))) return false
  const type = headers.get('content-type')
  if (status === 404 && said === '') return type === null || type === 'application/json'
  if (status >= 500 || /\bat .*\.ts:\d|node_modules|postgres/i.test(said)) return false
  return [200, 302, 303].includes(status) || (type === 'application/json' && isRefusal(status, said, body))
}

const isRefusal = (status: number, said: string, body: Reply['body']): boolean =>
  said === ''
    ? status === 401 || status === 403
    : (/^[A-Z0-9_]+$/.test(body?.code) && typeof body.message === 'string') ||
      (/^[a-z_]+$/.test(body?.error) && typeof body.error_description === 'string')

describe(`with seed ${seed}`, () => {
  it.each(knownCalls)('$name answers whatever it is sent, and writes nothing that it refuses', async (known) => {
    const visitors = [ann, service.visitor()]
    let stored = await dump(service)
    const keepsItsWord = async ({ query, init }: Sent, visitor: Visitor): Promise<boolean> => {
      const jar = new Map(visitor.cookies)
      const reply = await visitor.send(`${known.path}${query && `?${query}`}`, init)
      visitor.cookies.clear()
      for (const [name, value] of jar) visitor.cookies.set(name, value)
      if (![200, 302, 303].includes(reply.status)) return isAnswer(reply) && (await dump(service)) === stored
      await restore()
      stored = await dump(service)
      return isAnswer(reply)
    }
    const property = fc.asyncProperty(requestOf(known), fc.constantFrom(...visitors), keepsItsWord)
    const { counterexample, errorInstance } = await fc.check(property, { seed, numRuns: fuzzRuns, endOnFailure: true })
    expect([counterexample?.[0], errorInstance]).toEqual([undefined, null])
  })
})
