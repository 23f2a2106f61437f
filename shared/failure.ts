import { catalogue, type FailureKind, type FailureName } from './errors.ts'
import type { InputProblem } from './input-problem.ts'

interface FailureOptions {
  /** Private truth for the log; never sent. */
  readonly cause?: unknown
  /** Fills the sentence's `{field}`. */
  readonly field?: string
  /** Seconds after which the same request is worth sending again; set only when nothing was done. */
  readonly retryAfter?: number
  /** The number that was not kept to: least or greatest length. */
  readonly limit?: number
  /** The fields of an input that is not acceptable. */
  readonly details?: readonly InputProblem[]
}

/** Some refusals say nothing useful without their facts: where the name is written down, these have to stand beside it. */
type OptionsOf<N extends FailureName> = [N] extends ['TOO_MANY_REQUESTS']
  ? [options: FailureOptions & { readonly retryAfter: number }]
  : [N] extends ['INVALID_BODY' | 'INVALID_QUERY']
    ? [options: FailureOptions & { readonly details: readonly InputProblem[] }]
    : [options?: FailureOptions]

/** An expected refusal: a name of the catalogue, the only place that holds status and sentence. */
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

/** Inputs that may name a redirect target; each stands in the sentence of its refusal. */
export const redirectFields = ['callbackURL', 'redirectTo', 'errorCallbackURL', 'newUserCallbackURL'] as const

type RedirectField = (typeof redirectFields)[number]

/** A refusal in our own shape, or in that of OAuth (RFC 6749, 5.2). */
export type WireBody =
  | { readonly code: string; readonly message: string }
  | { readonly error: string; readonly error_description: string }

/** What goes over the wire for a failure: status and body; `null` is an empty body. */
export function wireOf(failure: FailureName, field?: string): { status: number; body: WireBody | null } {
  const entry: { status: number; body?: 'empty' | 'oauth'; code?: string } = catalogue[failure]
  const message = sentenceOf(failure, field)
  const code = entry.code ?? codeOf(message)
  if (entry.body === 'empty') return { status: entry.status, body: null }
  if (entry.body === 'oauth') return { status: entry.status, body: { error: code, error_description: message } }
  return { status: entry.status, body: { code, message } }
}

/** The code that a refusal's body carries, in either shape. */
export function sentCode(body: object | null): string | undefined {
  const { code, error }: { code?: unknown; error?: unknown } = body ?? {}
  const sent = code ?? error
  return typeof sent === 'string' ? sent : undefined
}

/** The wire code of a sentence: upper case, spaces to `_`, then only `A–Z 0–9 _`. */
export const codeOf = (sentence: string): string =>
  sentence
    .toUpperCase()
    .replaceAll(' ', '_')
    .replaceAll(/[^A-Z0-9_]/g, '')

const sentenceOf = (failure: FailureName, field = 'callbackURL'): string =>
  catalogue[failure].message.replace('{field}', field)

/** What `codeOf` makes of a sentence, for the compiler: letters are what has a lower case. */
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

/** The codes of the catalogue. Those of answers with an empty body are never sent, but clients may name them so. */
export type FailureCode = { [Name in FailureName]: EntryCode<(typeof catalogue)[Name]> }[FailureName]
export type ByCode<Value> = Readonly<Partial<Record<FailureCode, Value>>>

/** What a table has for a code that came over the wire. */
export const findByCode = <Value>(table: ByCode<Value>, code: string): Value | undefined =>
  Object.hasOwn(table, code) ? table[code as FailureCode] : undefined

let kinds: ReadonlyMap<string, FailureKind> | undefined

/** What a wire code of the catalogue means, below status 500; several failures with one code mean the same. */
export function kindOfCode(code: string | undefined): FailureKind | undefined {
  kinds ??= new Map((Object.keys(catalogue) as FailureName[]).flatMap(kindEntries))
  return code === undefined ? undefined : kinds.get(code)
}

function kindEntries(name: FailureName): [string, FailureKind][] {
  const { status, body } = wireOf(name)
  const code = sentCode(body)
  return status < 500 && code !== undefined ? [[code, catalogue[name].kind]] : []
}
