import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import { setFlagsFromString } from 'node:v8'

/** Reports uncaught errors and unhandled rejections, whatever happens to the process then. */
export function guardProcess(report: (error: unknown) => void): void {
  process.on('uncaughtExceptionMonitor', report)
}

/** On a busy machine, Node's quarter of a second may give up on every address of a provider. */
export const prepareProcess = (): void => setDefaultAutoSelectFamilyAttemptTimeout(1000)

/**
 * Makes V8 optimize what runs often, now that requests are taken, and keep compiled code. `postern serve` and its workers
 * start with `--no-opt`: the code of a start runs once, and the threads that would optimize it never give back the 5 to
 * 10 MB that they take. V8 otherwise drops compiled code that was not run lately: after eight quiet seconds requests
 * cost more than twice as much, until it was compiled again.
 */
export function keepWarm(): void {
  for (const flag of ['--opt', '--no-flush-bytecode']) setFlagsFromString(flag)
}
