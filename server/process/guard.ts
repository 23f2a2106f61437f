import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import { setFlagsFromString } from 'node:v8'

/** Reports uncaught errors and unhandled rejections, whatever happens to the process then. */
export function guardProcess(report: (error: unknown) => void): void {
  process.on('uncaughtExceptionMonitor', report)
}

/** Milliseconds. By then V8 has dropped the code that only the start needed. */
const startTime = 60_000

/**
 * On a busy machine, Node's quarter of a second may give up on every address of a provider. V8 drops compiled code that
 * was not run lately: after eight quiet seconds requests cost more than twice as much, until it was compiled again.
 */
export function prepareProcess(): void {
  setDefaultAutoSelectFamilyAttemptTimeout(1000)
  setTimeout(() => setFlagsFromString('--no-flush-bytecode'), startTime).unref()
}
