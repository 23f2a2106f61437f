import type { Context } from '../context.ts'
import { usageError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'

/** Refuses one document, as --json prints it, for a command that never ends. */
export function refuseDocument({ out }: Context, flag: string): void {
  if (out.style.mode === 'document')
    throw usageError(`${flag} never ends, so it cannot print one document`, 'Use --ndjson')
}

/** Refuses what `--follow` cannot have: one document, and flags that need an end. */
export function refuseEnds(context: Context, flags: Readonly<Record<string, unknown>>): void {
  refuseDocument(context, '--follow')
  const given = Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`]))
  if (given.length > 0)
    throw usageError(`--follow never ends and cannot be combined with ${given.join(', ')}`, undefined, given)
}

/** Runs until the reader closes or the process is interrupted. Neither needs a message. */
export async function untilStopped(context: Context, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { host } = context
  const closed = new AbortController()
  // The reader closed the pipe, which is the normal end.
  host.stdout.once('error', () => closed.abort())
  host.heedTermination?.()
  try {
    await run(AbortSignal.any([host.signal, closed.signal]))
  } catch (error) {
    if (host.signal.aborted) context.exitCode = toCliError(host.signal.reason).exitCode
    else if (!closed.signal.aborted) throw error
  }
}

/** What is said once when the service is lost, and once when it is back. */
export const outageText = (fault: Error | undefined): string =>
  fault ? `${fault.message}; continuing when the service answers` : 'The service answers again'
