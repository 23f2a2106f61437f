import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import { scopedHint } from '../argv/scoped-hint.ts'
import type { Context } from '../context.ts'
import { endsAll } from '../flows/run-several.ts'
import { CliError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'
import type { BulkFailure, BulkResult } from '../output/out.ts'

/** The fields reported for each input. */
export const bulkFields = { input: 'text', status: 'text', id: 'text?', error: 'any' } as const

/** One of several inputs, and its line in a CSV file. */
export interface BulkInput {
  readonly input: string
  readonly line?: number
}

/** What people know an input by, where it was given as an id. */
type NameOf<I> = (one: I) => string | undefined

/**
 * The result for one input, with the id of the resource when it differs from the input. An action that gives an `error`
 * instead of throwing it lets the others go on.
 */
type Outcome = string | (Pick<BulkResult, 'status' | 'id' | 'token'> & Partial<Pick<BulkResult, 'error'>>)
type Action<I> = (one: I, index: number) => Promise<Outcome>

/**
 * Runs an action for each input, one after the other, and reports each result when it is known. If a single input
 * fails, or the first one does with an error that concerns all, that error is thrown. Otherwise a failure sets exit
 * code 13. An interruption is thrown once the inputs that are left are reported too.
 */
export async function runBulk<I extends BulkInput>(
  context: Context,
  inputs: readonly I[],
  action: Action<I>,
  nameOf: NameOf<I> = () => undefined,
) {
  const results: BulkResult[] = []
  const report = (one: I, outcome: Outcome | CliError) => {
    const result = { ...resultOf(context, one, outcome), name: nameOf(one) }
    results.push(result)
    context.out.result(result)
  }
  context.host.heedTermination?.()
  try {
    await reportEach(inputs, action, report)
    context.out.results(results)
    if (results.some(({ error }) => error)) context.exitCode = exitCodes.partial
  } catch (error) {
    if (inputs.length > 1 && isInterruption(error)) {
      for (const [index, one] of inputs.slice(results.length).entries())
        report(one, index === 0 ? unknownOutcomeError() : 'skipped')
      context.out.results(results)
    }
    throw error
  }
}

async function reportEach<I extends BulkInput>(
  inputs: readonly I[],
  action: Action<I>,
  report: (one: I, outcome: Outcome | CliError) => void,
): Promise<void> {
  let last: CliError | undefined
  for (const [index, one] of inputs.entries()) {
    const outcome: Outcome | CliError = endsAll(last) ? 'skipped' : await tryAction(() => action(one, index))
    if (outcome instanceof CliError) last = outcome
    if (last && (inputs.length === 1 || (index === 0 && endsAll(last)))) throw last
    report(one, outcome)
  }
}

const interruptions: ReadonlySet<ExitCode> = new Set([exitCodes.interrupted, exitCodes.terminated])

export const isInterruption = (error: unknown): boolean =>
  error instanceof CliError && interruptions.has(error.exitCode)

/** The failure of what was under way when the interruption came. */
export const unknownOutcomeError = (): CliError =>
  new CliError(exitCodes.interrupted, 'Interrupted before the answer came: it may be done', { code: 'INTERRUPTED' })

/** Returns the result or the error. Only an interruption by Ctrl+C or SIGTERM is thrown. */
export async function tryAction<T>(action: () => Promise<T>): Promise<T | CliError> {
  try {
    return await action()
  } catch (error) {
    const cliError = toCliError(error)
    if (isInterruption(cliError)) throw cliError
    return cliError
  }
}

function resultOf(context: Context, { input, line }: BulkInput, outcome: Outcome | CliError): BulkResult {
  if (typeof outcome === 'string') return { input, status: outcome, error: null }
  if (!(outcome instanceof CliError)) return { input, error: null, ...outcome }
  const error = { ...failureOf(context, outcome), ...(line !== undefined && { line }) }
  return { input, status: 'failed', error }
}

/** A failure in a list of results: what happened, and what to do next. */
export const failureOf = ({ flags }: Context, { code, message, details, hint, fields }: CliError): BulkFailure => ({
  code,
  message: [message, ...details].join('. '),
  hint: hint === undefined ? null : scopedHint(hint, flags, fields),
})
