import { setFlagsFromString } from 'node:v8'

export interface EngineState {
  /** Whether V8 has optimized nothing so far, as with `node --no-opt`. */
  readonly isOptimizerOff: boolean
}

const engineFlags = [
  // V8 drops compiled code after eight quiet seconds. Requests then cost more than twice as much until it is compiled
  // again.
  '--no-flush-bytecode',
  // Under load V8 lets a heap of 28 MB grow by 50 MB and more before it collects what is old.
  '--heap-growing-percent=50',
]

const optimizerFlags = [
  // While a service is new, and again after it was quiet, when V8 has thrown optimized code away, optimizing takes a third
  // of its CPU. Most of that goes to the functions that V8 puts inside of others. With a third and half of the defaults,
  // the first 3,600 writes took 13 % less CPU, and later calls no more than before.
  '--max-inlined-bytecode-size-cumulative=300',
  '--max-inlined-bytecode-size=230',
  '--opt',
]

/**
 * Makes V8 keep compiled code and keep the heap small. Call it once requests are taken.
 *
 * `postern serve` and its workers start with the optimizer off: the code of a start runs once, and the threads that would
 * optimize it never give back the 5 to 10 MB that they take. From now on it is on, and optimizes a little at a time. Where it
 * was on before, it is left alone: V8 crashes ("Check failed: inlineability") if these limits change while one of its
 * threads is optimizing.
 */
export function tuneEngine({ isOptimizerOff }: EngineState): void {
  for (const flag of engineFlags) setFlagsFromString(flag)
  if (isOptimizerOff) for (const flag of optimizerFlags) setFlagsFromString(flag)
}
