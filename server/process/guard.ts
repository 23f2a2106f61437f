import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import { setFlagsFromString } from 'node:v8'

/** Reports uncaught errors and unhandled rejections, whatever happens to the process then. */
export function guardProcess(report: (error: unknown) => void): void {
  process.on('uncaughtExceptionMonitor', report)
}

/** On a busy machine, Node's quarter of a second may give up on every address of a provider. */
export const prepareProcess = (): void => setDefaultAutoSelectFamilyAttemptTimeout(1000)

/** Milliseconds. By then V8 has dropped the code that only the start needed, and given back its memory. */
const startTime = 60_000

/** Milliseconds for which nothing happens before V8 shrinks the heap. Its own eight seconds are between two visits. */
const quietTime = 300_000

/**
 * Makes V8 optimize what runs often, now that requests are taken, and a minute later keep what it has. The command line
 * and the workers start with `--no-opt`: the code of a start runs once, and the threads that would optimize it never give
 * back the 5 to 10 MB that they take. Without the other flags V8 drops compiled code that was not run lately, and shrinks
 * its heap: after eight quiet seconds requests cost up to twice as much for a while.
 */
export function keepWarm(): void {
  setFlagsFromString('--opt')
  setTimeout(() => {
    setFlagsFromString('--no-flush-bytecode')
    setFlagsFromString(`--gc-memory-reducer-start-delay-ms=${quietTime}`)
  }, startTime).unref()
}
