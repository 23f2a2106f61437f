import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import type { Context } from '../context.ts'
import { refusalFrom } from '../output/failure.ts'
import type { BulkResult } from '../output/out.ts'
import { Refusal } from '../output/refusal.ts'

/** After these the rest would fare no better. */
const ending: ReadonlySet<ExitCode> = new Set([
  exitCodes.signedOut,
  exitCodes.rateLimited,
  exitCodes.network,
  exitCodes.server,
  exitCodes.localState,
])

/** What became of one input; with the id of the thing where that is not the input itself. */
type Outcome = string | { readonly status: string; readonly id: string }
type Act = (input: string) => Promise<Outcome>

/**
 * Does one thing to each of many, one after the other, and reports each. A single failing one, or a failure before
 * anything was done that concerns all, is that failure; else exit 13.
 */
export async function runBulk(context: Context, inputs: readonly string[], act: Act) {
  const results: BulkResult[] = []
  let last: Refusal | undefined
  for (const input of inputs) {
    const outcome: Outcome | Refusal = isOver(last) ? 'skipped' : await attempt(() => act(input))
    if (outcome instanceof Refusal) last = outcome
    results.push(resultOf(input, outcome))
  }
  const isNothingDone = inputs.length === 1 || (isOver(last) && results[0]?.status === 'failed')
  if (last && isNothingDone) throw last
  context.out.bulk(results)
  if (last) endPartial(context, results, last)
}

/** Where all failed for one reason, one thing mends them all. */
function endPartial(context: Context, results: readonly BulkResult[], { code, hint }: Refusal): void {
  context.exitCode = exitCodes.partial
  if (hint && results.every(({ error }) => error?.code === code)) context.out.note(`next: ${hint}`)
}

/** Whether the rest need not be tried. */
export const isOver = (refusal: Refusal | undefined): boolean => refusal !== undefined && ending.has(refusal.exitCode)

/** What came of it, or the refusal; only Ctrl+C is thrown. */
export async function attempt<T>(act: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await act()
  } catch (error) {
    const refusal = refusalFrom(error)
    if (refusal.exitCode === exitCodes.interrupted) throw refusal
    return refusal
  }
}

function resultOf(input: string, outcome: Outcome | Refusal): BulkResult {
  if (typeof outcome === 'string') return { input, status: outcome, error: null }
  if (!(outcome instanceof Refusal)) return { input, ...outcome, error: null }
  return { input, status: 'failed', error: { code: outcome.code, message: outcome.message } }
}
