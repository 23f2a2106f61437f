import type { CliError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'

/** What is wrong with what a person typed, by field. */
export type FieldProblems = Readonly<Record<string, string>>

/** Some of what was typed was not accepted. */
export interface RejectedValues {
  readonly problems: FieldProblems
  /** The service's error; undefined if nothing was sent yet. */
  readonly refusal?: CliError
  readonly error?: unknown
}

export interface Submission<V, T> {
  /** Local check, before anything is sent. */
  readonly check?: (values: V) => FieldProblems
  readonly send: (values: V) => Promise<T>
  /** What a refusal says about the typed values. Empty: the error is not about them. */
  readonly refused?: (refusal: CliError, error: unknown) => FieldProblems
}

/** `N`: undefined if the person can give up, else never. */
export interface InteractiveSubmission<V, T, N extends undefined> extends Submission<V, T> {
  /** Asks only for the rejected values, and returns all of them. */
  readonly ask: (values: V, rejected: RejectedValues) => Promise<V | N>
}

const isEmpty = (problems: FieldProblems): boolean => Object.keys(problems).length === 0

export function rejectedBefore<V, T>({ check }: Submission<V, T>, values: V): RejectedValues | undefined {
  const problems = check?.(values) ?? {}
  return isEmpty(problems) ? undefined : { problems }
}

export async function submit<V, T>(
  { send, refused }: Submission<V, T>,
  values: V,
): Promise<RejectedValues | { readonly accepted: T }> {
  try {
    return { accepted: await send(values) }
  } catch (error) {
    const refusal = toCliError(error)
    const problems = refused?.(refusal, error) ?? {}
    if (isEmpty(problems)) throw error
    return { problems, refusal, error }
  }
}

/** Repeats until all values are accepted, here and by the service. Accepted values are kept. */
export async function askUntilAccepted<V extends object | string, T, N extends undefined>(
  asking: InteractiveSubmission<V, T, N>,
  first: V,
): Promise<T | N> {
  let values = first
  for (;;) {
    const outcome = rejectedBefore(asking, values) ?? (await submit(asking, values))
    if ('accepted' in outcome) return outcome.accepted
    const again = await asking.ask(values, outcome)
    if (again === undefined) return again
    values = again
  }
}
