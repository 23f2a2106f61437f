import { readlink } from 'node:fs/promises'
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { setFlagsFromString } from 'node:v8'

/** Reports uncaught errors and unhandled rejections, whatever happens to the process then. */
export function guardProcess(report: (error: unknown) => void): void {
  process.on('uncaughtExceptionMonitor', report)
}

/** Before the service starts. */
export async function prepareProcess(): Promise<void> {
  // On a busy machine, Node's quarter of a second may give up on every address of a provider.
  setDefaultAutoSelectFamilyAttemptTimeout(1000)
  await lowerHashThreads()
}

/** The threads of libuv's pool, unless UV_THREADPOOL_SIZE says otherwise. */
const poolSize = 4

/** A thread with this niceness gets a quarter of a core that it shares with a thread of the usual 0. */
const niceness = 5

/**
 * Passwords are hashed on the threads of libuv's pool. Linux has a priority for each thread, so these can give way to
 * the one that answers requests. Otherwise, while every core hashes, each request waits for its turn: beside three times
 * as many sign-ins as the service manages, get-session took 17 ms at the median, and with this 6.
 */
async function lowerHashThreads(): Promise<void> {
  try {
    for (const id of await poolThreads()) setPriority(id, niceness)
  } catch {
    // No Linux, no `/proc`, or not allowed: requests are answered all the same, in their turn.
  }
}

/** Files are read by these threads too, so each tells its own id when it reads this link (proc(5)). */
async function poolThreads(): Promise<readonly number[]> {
  const seen = new Set<string>()
  for (let round = 0; seen.size < poolSize && round < 100; round += 1) {
    const asked = await Promise.all(Array.from({ length: 4 * poolSize }, () => readlink('/proc/thread-self')))
    for (const thread of asked) seen.add(thread)
  }
  return [...seen].map((thread) => Number(basename(thread)))
}

const engineFlags = [
  // `postern serve` and its workers start with `--no-opt`: the code of a start runs once, and the threads that would
  // optimize it never give back the 5 to 10 MB that they take.
  '--opt',
  // V8 drops compiled code after eight quiet seconds. Requests then cost more than twice as much until it is compiled
  // again.
  '--no-flush-bytecode',
  // While a service is new, and again after it was quiet, when V8 has thrown optimized code away, optimizing takes a third
  // of its CPU. Most of that goes to the functions that V8 puts inside of others. With a third and half of the defaults,
  // the first 3,600 writes took 13 % less CPU, and later calls no more than before.
  '--max-inlined-bytecode-size-cumulative=300',
  '--max-inlined-bytecode-size=230',
  // Under load V8 lets a heap of 28 MB grow by 50 MB and more before it collects what is old.
  '--heap-growing-percent=50',
]

/** Makes V8 optimize a little at a time, keep compiled code and keep the heap small. Call it once requests are taken. */
export function tuneEngine(): void {
  for (const flag of engineFlags) setFlagsFromString(flag)
}
