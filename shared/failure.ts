import { catalogue, type FailureKind, type FailureName, kindOf } from './errors.ts'
import type { InputProblem } from './input-problem.ts'

interface FailureOptions {
  /** The private reason for the log. Never sent. */
  readonly cause?: unknown
  /** Fills `{field}` in the message. */
  readonly field?: string
  /** Seconds after which the same request can be sent again. Set only when nothing was done. */
  readonly retryAfter?: number
  /** The number that was violated: the minimum or maximum length. */
  readonly limit?: number
  /** The invalid fields of an input. */
  readonly details?: readonly InputProblem[]
}

/** Some failures are useless without their facts, so these names require options. */
type OptionsOf<N extends FailureName> = [N] extends ['TOO_MANY_REQUESTS']
  ? [options: FailureOptions & { readonly retryAfter: number }]
  : [N] extends ['INVALID_BODY' | 'INVALID_QUERY']
    ? [options: FailureOptions & { readonly details: readonly InputProblem[] }]
    : [N] extends ['SERVICE_UNAVAILABLE']
      ? [options: FailureOptions & { readonly cause: unknown }]
      : [options?: FailureOptions]

/** An expected refusal, named by the catalogue, which alone holds status and message. */
export class Failure<N extends FailureName = FailureName> extends Error {
  override readonly name = 'Failure'
  readonly failure: FailureName
  readonly field: string | undefined
  readonly retryAfter: number | undefined
  readonly limit: number | undefined
  readonly details: readonly InputProblem[] | undefined

  constructor(failure: N, ...[options = {}]: OptionsOf<N>) {
    super(sentenceOf(failure, options.field), { cause: options.cause })
    this.failure = failure
    this.field = options.field
    this.retryAfter = options.retryAfter
    this.limit = options.limit
    this.details = options.details
  }
}

/** Input fields that can hold a redirect target. Each appears in the message of its refusal. */
export const redirectFields = ['callbackURL', 'redirectTo', 'errorCallbackURL', 'newUserCallbackURL'] as const

type RedirectField = (typeof redirectFields)[number]

/** An error body in our own form, or in OAuth's (RFC 6749, 5.2). */
export type WireBody =
  | { readonly code: string; readonly message: string }
  | { readonly error: string; readonly error_description: string }

/** The wire form of a failure: status and body. `null` is an empty body. */
export function wireOf(failure: FailureName, field?: string): { status: number; body: WireBody | null } {
  const entry: { status: number; body?: 'empty' | 'oauth'; code?: string } = catalogue[failure]
  const message = sentenceOf(failure, field)
  const code = entry.code ?? wireCodeOf(message)
  if (entry.body === 'empty') return { status: entry.status, body: null }
  if (entry.body === 'oauth') return { status: entry.status, body: { error: code, error_description: message } }
  return { status: entry.status, body: { code, message } }
}

/** The code in an error body of either form. */
export function codeInBody(body: object | null): string | undefined {
  const { code, error }: { code?: unknown; error?: unknown } = body ?? {}
  const sent = code ?? error
  return typeof sent === 'string' ? sent : undefined
}

/** The wire code of a message: upper case, spaces become `_`, and all but `A–Z 0–9 _` is removed. */
export const wireCodeOf = (sentence: string): string =>
  sentence
    .toUpperCase()
    .replaceAll(' ', '_')
    .replaceAll(/[^A-Z0-9_]/g, '')

/** A message with the name of the field that it is about. */
export const fillField = (message: string, field = 'callbackURL'): string => message.replace('{field}', () => field)

const sentenceOf = (failure: FailureName, field?: string): string => fillField(catalogue[failure].message, field)

/** `wireCodeOf` at the type level. Letters are the characters that have a lower case. */
type CodeOf<Rest extends string, Code extends string = ''> = Rest extends `${infer First}${infer Others}`
  ? CodeOf<Others, `${Code}${CharacterOf<First>}`>
  : Code
type CharacterOf<Sign extends string> = Sign extends ' '
  ? '_'
  : Sign extends '_' | `${number}`
    ? Sign
    : Lowercase<Sign> extends Sign
      ? ''
      : Sign

type EntryCode<E> = E extends { readonly code: infer Code extends string }
  ? Code
  : E extends { readonly message: `${infer Start}{field}` }
    ? CodeOf<Uppercase<`${Start}${RedirectField}`>>
    : E extends { readonly message: infer Sentence extends string }
      ? CodeOf<Uppercase<Sentence>>
      : never

/**
 * The codes of the catalogue. Those of answers with an empty body are never sent, but clients may use them as names.
 */
export type FailureCode = { [Name in FailureName]: EntryCode<(typeof catalogue)[Name]> }[FailureName]
export type ByCode<Value> = Readonly<Partial<Record<FailureCode, Value>>>

/** Looks up a wire code in a table. */
export const findByCode = <Value>(table: ByCode<Value>, code: string): Value | undefined =>
  Object.hasOwn(table, code) ? table[code as FailureCode] : undefined

let kinds: ReadonlyMap<string, FailureKind> | undefined

/**
 * The kind of failure behind a wire code of the catalogue, below status 500. All failures with one code have the same
 * kind.
 */
export function kindOfCode(code: string | undefined): FailureKind | undefined {
  kinds ??= new Map((Object.keys(catalogue) as FailureName[]).flatMap(kindEntries))
  return code === undefined ? undefined : kinds.get(code)
}

function kindEntries(name: FailureName): [string, FailureKind][] {
  const { status, body } = wireOf(name)
  const code = codeInBody(body)
  return status < 500 && code !== undefined ? [[code, kindOf(name)]] : []
}
