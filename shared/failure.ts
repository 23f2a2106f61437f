import { catalogue, type FailureName } from './errors.ts'

export interface FailureOptions {
  /** Private truth for the log; never sent. */
  readonly cause?: unknown
  /** Fills the sentence's `{field}`. */
  readonly field?: string
  /** Seconds after which the same request is worth sending again; set only when nothing was done. */
  readonly retryAfter?: number
}

/** An expected refusal: a name of the catalogue, the only place that holds status and sentence. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly failure: FailureName
  readonly field: string | undefined
  readonly retryAfter: number | undefined

  constructor(failure: FailureName, options: FailureOptions = {}) {
    super(sentenceOf(failure, options.field), { cause: options.cause })
    this.failure = failure
    this.field = options.field
    this.retryAfter = options.retryAfter
  }
}

/** Inputs that may name a redirect target; each stands in the sentence of its refusal. */
export const redirectFields = ['callbackURL', 'redirectTo', 'errorCallbackURL', 'newUserCallbackURL'] as const

/** What goes over the wire for a failure: status and body; `null` is an empty body. */
export function wireOf(failure: FailureName, field?: string) {
  const entry: { status: number; body?: 'empty' | 'message'; code?: string } = catalogue[failure]
  const message = sentenceOf(failure, field)
  if (entry.body === 'empty') return { status: entry.status, body: null }
  if (entry.body === 'message') return { status: entry.status, body: { message } }
  return { status: entry.status, body: { code: entry.code ?? codeOf(message), message } }
}

/** The wire code of a sentence: upper case, spaces to `_`, then only `A–Z 0–9 _`. */
export const codeOf = (sentence: string): string =>
  sentence
    .toUpperCase()
    .replaceAll(' ', '_')
    .replaceAll(/[^A-Z0-9_]/g, '')

const sentenceOf = (failure: FailureName, field = 'callbackURL'): string =>
  catalogue[failure].message.replace('{field}', field)
