import * as z from 'zod'
import type { Schema } from '../../server/testing/json-schema.ts'
import type { Call } from '../../shared/contract/call.ts'
import { contract } from '../../shared/contract/index.ts'
import type { Answers, Reply, Seen } from './answers.ts'

const calls: ReadonlyMap<string, Call> = new Map(
  Object.values(contract)
    .flatMap((group) => Object.values<Call>(group))
    .map((call) => [`${call.method} ${call.path}`, call]),
)

/** What the first and the second of anything is called, whatever it is. */
export const ids = ['0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c', '0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a9e8d'] as const
const emails = ['ann@example.com', 'ben@example.com'] as const

/** `full`: all that an answer can hold; `bare`: null and left out where it may be. */
export type Fullness = 'full' | 'bare'

export interface SampleOptions {
  readonly fullness: Fullness
  /** In place of what a field of that name would hold. */
  readonly texts?: Readonly<Record<string, string>>
}

/** An answer of every call, made from what the contract says of it. */
export const sampleAnswers = (options: SampleOptions): Readonly<Record<string, Reply>> =>
  Object.fromEntries(
    Array.from(calls, ([call, { output }]) => [
      call,
      { body: sampleOf(z.toJSONSchema(output, { io: 'input', unrepresentable: 'any' }) as Schema, options) },
    ]),
  )

/** The same answers, about what was asked. */
export const aboutAsked = (answers: Answers): Answers =>
  Object.fromEntries(
    Object.entries(answers).map(([call, reply]) => [
      call,
      typeof reply === 'function' ? reply : (seen) => ({ ...reply, body: withAsked(reply.body, call, seen) }),
    ]),
  )

function withAsked(body: unknown, call: string, { query, body: sent }: Seen): unknown {
  const repeated = Object.entries({ organizationId: 'organizationId', ...calls.get(call)?.repeats })
  const asked: Readonly<Record<string, unknown>> = { ...query, ...Object(sent) }
  return repeated.reduce((answer, [name, path]) => put(answer, path.split('.'), asked[name]), body)
}

function put(value: unknown, [name, ...rest]: readonly string[], asked: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => put(item, [name ?? '', ...rest], asked))
  if (name === undefined || asked === undefined || typeof value !== 'object' || value === null) return value
  return { ...value, [name]: rest.length === 0 ? asked : put(Reflect.get(value, name), rest, asked) }
}

interface Place {
  /** The name of the field. */
  readonly name: string
  /** Of which item of a list it is a part. */
  readonly index: number
}

const at = '2026-01-02T03:04:05.000Z'

/** What the command line reads a meaning into. */
const meanings: Readonly<Record<string, (index: number) => unknown>> = {
  total: () => 2,
  allowed: () => true,
  member: () => 'create',
  success: () => true,
  status: () => true,
  role: (index) => (index === 0 ? 'owner' : 'member'),
  event: (index) => (index === 0 ? 'key-created' : 'sign-in-done'),
  email: (index) => emails[index],
  slug: (index) => ['acme', 'globex'][index],
  provider: (index) => ['google', 'github'][index],
  expiresIn: () => 600,
  expires_in: () => 600,
  isMachine: () => false,
  banned: () => false,
}

function sampleOf(schema: Schema, options: SampleOptions, place: Place = { name: '', index: 0 }): unknown {
  const text = options.texts?.[place.name]
  if (text !== undefined && isText(schema)) return text
  if (schema.anyOf) return ofVariants(schema.anyOf, options, place)
  if (Array.isArray(schema.type)) return ofVariants(eachType(schema), options, place)
  if (schema.enum) return schema.enum[0]
  return meantBy(schema, place) ?? ofType(schema, options, place)
}

function meantBy({ type = 'null' }: Schema, { name, index }: Place): unknown {
  const meaning = meanings[name]?.(index)
  if (type === 'array' && typeof meaning === 'string') return [meaning]
  return type === typeof meaning || (type === 'integer' && typeof meaning === 'number') ? meaning : undefined
}

function ofType(schema: Schema, options: SampleOptions, place: Place): unknown {
  switch (schema.type) {
    case 'object':
      return ofObject(schema, options, place.index)
    case 'array':
      return [0, 1].map((index) => sampleOf(schema.items ?? {}, options, { ...place, index }))
    case 'string':
      return textOf(schema, place)
    case 'boolean':
      return options.fullness === 'full'
    case 'number':
    case 'integer':
      return Math.max(schema.minimum ?? 0, 1)
    default:
      return null
  }
}

const eachType = (schema: Schema): readonly Schema[] => [schema.type ?? []].flat().map((type) => ({ ...schema, type }))

const isText = ({ type = [], anyOf = [] }: Schema): boolean =>
  type.includes('string') || anyOf.some((inner) => isText(inner))

const isNull = ({ type }: Schema): boolean => type === 'null'

function ofVariants(variants: readonly Schema[], options: SampleOptions, place: Place): unknown {
  // A list that goes on has no end here.
  const isNothing = place.name === 'next' || (options.fullness === 'bare' && place.name !== '')
  if (isNothing && variants.some(isNull)) return null
  return sampleOf(variants.find((variant) => !isNull(variant)) ?? {}, options, place)
}

function ofObject(
  { properties = {}, required = [], additionalProperties }: Schema,
  options: SampleOptions,
  index: number,
): object {
  if (typeof additionalProperties === 'object' && Object.keys(properties).length === 0)
    return { member: sampleOf(additionalProperties, options, { name: 'member', index }) }
  // A list that is whole; that it is not is another story.
  const shown = Object.entries(properties).filter(
    ([name]) => name !== 'incomplete' && (options.fullness === 'full' || required.includes(name)),
  )
  return Object.fromEntries(shown.map(([name, inner]) => [name, sampleOf(inner, options, { name, index })]))
}

function textOf(schema: Schema & { readonly format?: string }, { name, index }: Place): string {
  if (schema.format === 'date-time') return at
  if (/id$/i.test(name)) return ids[index] ?? ids[0]
  if (/email/i.test(name)) return emails[index] ?? emails[0]
  if (/token/i.test(name)) return `token-${index}`
  if (/url|uri|^image$|^logo$/i.test(name)) return 'https://example.com/picture.png'
  return `${name} ${index}`
}
