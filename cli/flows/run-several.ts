import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import { CliError, cancelledError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'
import { countText } from '../output/words.ts'
import type { FlowResult, SeveralResult } from './flow.ts'
import type { FlowContext } from './flow-context.ts'

/** After one of these exit codes the remaining inputs would fail too. */
const ending: ReadonlySet<ExitCode> = new Set([
  exitCodes.signedOut,
  exitCodes.rateLimited,
  exitCodes.network,
  exitCodes.server,
  exitCodes.localState,
])

/** Whether the remaining inputs need not be tried. */
export const endsAll = (error: CliError | undefined): boolean => error !== undefined && ending.has(error.exitCode)

/** The same items, those that are marked after all others. */
export const lastInOrder = <T>(items: readonly T[], isLast: readonly boolean[]): readonly T[] =>
  [false, true].flatMap((wanted) => items.filter((_, index) => isLast[index] === wanted))

/**
 * Runs a flow for each input, one after the other. If the first one fails with an error that concerns all, that error
 * is thrown. `sentence`: what was done, after `3` or `2 of 3`.
 */
export async function runForSeveral(
  inputs: readonly string[],
  run: (input: string, at: number) => Promise<FlowResult>,
  sentence: (count: string) => string,
  { progress = () => {}, isStopped = () => false }: Pick<FlowContext, 'progress' | 'isStopped'> = {},
): Promise<FlowResult> {
  const attempt = async (input: string, at: number) => {
    if (at > 0 && isStopped()) return stopped
    progress(at, inputs.length)
    return run(input, at).catch(toCliError)
  }
  const outcomes: (FlowResult | CliError)[] = []
  for (const [at, input] of inputs.entries()) {
    const last = outcomes.at(-1)
    const isOver = last instanceof Error && endsAll(last)
    if (isOver && outcomes.length === 1) throw last
    outcomes.push(isOver ? last : await attempt(input, at))
  }
  const dones = outcomes.flatMap((outcome) => (outcome instanceof Error ? [] : [outcome]))
  const count =
    dones.length < inputs.length
      ? `${countText(dones.length)} of ${countText(inputs.length)}`
      : countText(inputs.length)
  const results = inputs.map((input, at) => resultOf(input, outcomes[at], outcomes[at - 1]))
  return { status: 'unchanged', resource: {}, ...dones[0], sentence: sentence(count), results }
}

const stopped = cancelledError('you stopped it')

/** What was not tried has the error that ended everything. */
function resultOf(input: string, outcome: unknown, before: unknown): SeveralResult {
  if (!(outcome instanceof CliError)) return { input }
  const { message, details } = outcome
  return {
    input,
    problem: outcome === before || outcome === stopped ? `not tried: ${message}` : [message, ...details].join('. '),
  }
}
