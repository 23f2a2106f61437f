import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import { setFlagsFromString } from 'node:v8'

/** Reports uncaught errors and unhandled rejections, whatever happens to the process then. */
export function guardProcess(report: (error: unknown) => void): void {
  process.on('uncaughtExceptionMonitor', report)
}

/** On a busy machine, Node's quarter of a second may give up on every address of a provider. */
export const prepareProcess = (): void => setDefaultAutoSelectFamilyAttemptTimeout(1000)

/** Percent of what V8 found in use, by which its heap may grow until it looks through all of it again. */
const heapGrowth = 50

/**
 * Makes V8 optimize what runs often, now that requests are taken, keep compiled code, and keep the heap small.
 * `postern serve` and its workers start with `--no-opt`: the code of a start runs once, and the threads that would
 * optimize it never give back the 5 to 10 MB that they take. V8 otherwise drops compiled code that was not run lately:
 * after eight quiet seconds requests cost more than twice as much, until it was compiled again. And under load it lets a
 * heap of 28 MB grow by 50 MB and more before it collects what is old.
 */
export function tuneEngine(): void {
  const flags = ['--opt', '--no-flush-bytecode', `--heap-growing-percent=${heapGrowth}`]
  for (const flag of flags) setFlagsFromString(flag)
}
