import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import type { Context } from '../context.ts'
import { refusalFrom } from '../output/failure.ts'
import type { BulkResult } from '../output/out.ts'
import type { Refusal } from '../refusal.ts'

/** After these the rest would fare no better. */
const ending: ReadonlySet<ExitCode> = new Set([
  exitCodes.signedOut,
  exitCodes.rateLimited,
  exitCodes.network,
  exitCodes.server,
  exitCodes.localState,
])

/**
 * Does one thing to each of many, one after the other, and reports each. A single failing one, or a failure before
 * anything was done that concerns all, is that failure; else exit 13.
 */
export async function runBulk(context: Context, inputs: readonly string[], act: (input: string) => Promise<string>) {
  const results: BulkResult[] = []
  let last: Refusal | undefined
  for (const input of inputs) {
    const outcome: string | Refusal = isOver(last) ? 'skipped' : await attempt(act, input)
    if (typeof outcome !== 'string') last = outcome
    results.push(resultOf(input, outcome))
  }
  const isNothingDone = inputs.length === 1 || (isOver(last) && results[0]?.status === 'failed')
  if (last && isNothingDone) throw last
  context.out.bulk(results)
  if (last) context.exitCode = exitCodes.partial
}

const isOver = (refusal: Refusal | undefined): boolean => refusal !== undefined && ending.has(refusal.exitCode)

async function attempt(act: (input: string) => Promise<string>, input: string): Promise<string | Refusal> {
  try {
    return await act(input)
  } catch (error) {
    const refusal = refusalFrom(error)
    if (refusal.exitCode === exitCodes.interrupted) throw refusal
    return refusal
  }
}

const resultOf = (input: string, outcome: string | Refusal): BulkResult =>
  typeof outcome === 'string'
    ? { input, status: outcome, error: null }
    : { input, status: 'failed', error: { code: outcome.code, message: outcome.message } }
