import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import { setFlagsFromString } from 'node:v8'

/** Reports uncaught errors and unhandled rejections, whatever happens to the process then. */
export function guardProcess(report: (error: unknown) => void): void {
  process.on('uncaughtExceptionMonitor', report)
}

/** On a busy machine, Node's quarter of a second may give up on every address of a provider. */
export const prepareProcess = (): void => setDefaultAutoSelectFamilyAttemptTimeout(1000)

const engineFlags = [
  // `postern serve` and its workers start with `--no-opt`: the code of a start runs once, and the threads that would
  // optimize it never give back the 5 to 10 MB that they take.
  '--opt',
  // V8 drops compiled code after eight quiet seconds. Requests then cost more than twice as much until it is compiled
  // again.
  '--no-flush-bytecode',
  // Under load V8 lets a heap of 28 MB grow by 50 MB and more before it collects what is old.
  '--heap-growing-percent=50',
]

/** Makes V8 optimize, keep compiled code and keep the heap small. Call it once requests are taken. */
export function tuneEngine(): void {
  for (const flag of engineFlags) setFlagsFromString(flag)
}
