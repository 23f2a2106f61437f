import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import { printNextStep } from '../argv/scoped-hint.ts'
import type { Context } from '../context.ts'
import { CliError, usageError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'
import type { BulkResult } from '../output/out.ts'
import { type InputStream, readAll } from '../settings/secret.ts'

/** The fields reported for each input. */
export const bulkFields = { input: 'text', status: 'text', id: 'text?', error: 'any' } as const

/** After one of these exit codes the remaining inputs would fail too. */
const ending: ReadonlySet<ExitCode> = new Set([
  exitCodes.signedOut,
  exitCodes.rateLimited,
  exitCodes.network,
  exitCodes.server,
  exitCodes.localState,
])

/** The result for one input, with the id of the resource when it differs from the input. */
type Outcome = string | { readonly status: string; readonly id?: string }
type Action = (input: string, index: number) => Promise<Outcome>

/**
 * Runs an action for each input, one after the other, and reports each result when it is known. If a single input fails,
 * or the first one does with an error that concerns all, that error is thrown. Otherwise a failure sets exit code 13. An
 * interruption is thrown once the inputs that are left are reported too.
 */
export async function runBulk(context: Context, inputs: readonly string[], action: Action) {
  const results: BulkResult[] = []
  const report = (result: BulkResult) => {
    results.push(result)
    context.out.result(result)
  }
  context.host.heedTermination?.()
  try {
    const last = await reportEach(inputs, action, report)
    context.out.results(results)
    if (last) endPartial(context, results, last)
  } catch (error) {
    if (inputs.length > 1 && isInterruption(error)) {
      for (const [index, input] of inputs.slice(results.length).entries())
        report(index === 0 ? interruptedResult(input) : resultOf(input, 'skipped'))
      context.out.results(results)
    }
    throw error
  }
}

/** The last error, after which others may have been skipped. */
async function reportEach(inputs: readonly string[], action: Action, report: (result: BulkResult) => void) {
  let last: CliError | undefined
  for (const [index, input] of inputs.entries()) {
    const outcome: Outcome | CliError = endsBulk(last) ? 'skipped' : await tryAction(() => action(input, index))
    if (outcome instanceof CliError) last = outcome
    if (last && (inputs.length === 1 || (index === 0 && endsBulk(last)))) throw last
    report(resultOf(input, outcome))
  }
  return last
}

const interruptions: ReadonlySet<ExitCode> = new Set([exitCodes.interrupted, exitCodes.terminated])

const isInterruption = (error: unknown): boolean => error instanceof CliError && interruptions.has(error.exitCode)

const interruptedResult = (input: string): BulkResult => ({
  input,
  status: 'failed',
  error: { code: 'INTERRUPTED', message: 'Interrupted before the answer came: it may be done' },
})

/** If every input failed for the same reason, one hint helps for all of them. */
function endPartial(context: Context, results: readonly BulkResult[], { code, hint }: CliError): void {
  context.exitCode = exitCodes.partial
  if (hint && results.every(({ error }) => error?.code === code)) printNextStep(context, `next: ${hint}`)
}

/** Whether the remaining inputs need not be tried. */
export const endsBulk = (error: CliError | undefined): boolean => error !== undefined && ending.has(error.exitCode)

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

function resultOf(input: string, outcome: Outcome | CliError): BulkResult {
  if (typeof outcome === 'string') return { input, status: outcome, error: null }
  if (!(outcome instanceof CliError)) return { input, ...outcome, error: null }
  return { input, status: 'failed', error: { code: outcome.code, message: outcome.message } }
}

/** A longer list takes minutes and may be a mistake, such as a pipe that never ends. */
const maxLines = 10_000
const maxBytes = 2 * 1024 * 1024

const tooLong = (): CliError =>
  usageError(
    `stdin (-) is too long: at most ${maxLines} lines and ${maxBytes / 1024 / 1024} MiB at once`,
    `Split the list first: split -l ${maxLines}`,
  )

/** Replaces the argument `-` by the lines of stdin. Blank lines are skipped. */
export async function expandStdinLines(stdin: InputStream, words: readonly string[]): Promise<string[]> {
  if (!words.includes('-')) return [...words]
  if (words.filter((word) => word === '-').length > 1) throw usageError('stdin (-) can be given only once')
  const lines = (await readAll(stdin, maxBytes, tooLong)).split(/\r?\n/).map((line) => line.trim())
  const given = lines.filter((line) => line !== '')
  if (given.length > maxLines) throw tooLong()
  return words.flatMap((word) => (word === '-' ? given : [word]))
}
