import { readlink } from 'node:fs/promises'
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import { getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'

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

/** libuv's default; UV_THREADPOOL_SIZE is not considered. */
const poolSize = 4

/** A thread that is nicer by this gets a quarter of a core that it shares with the one that answers. */
const nicerBy = 5
const nicest = 19

/**
 * Lowers the priority of the hash threads so that the event loop's thread gets a core first. Without it, at three times
 * the sign-ins it can serve, get-session's median was 17 ms; with it, 6 ms.
 */
async function lowerHashThreads(): Promise<void> {
  try {
    const niceness = Math.min(nicest, getPriority() + nicerBy)
    for (const id of await poolThreads()) setPriority(id, niceness)
  } catch {
    // No Linux, no `/proc`, or not allowed: requests are answered all the same, in their turn.
  }
}

/** These threads also read files, so a thread that reads this link answers with its own id (proc(5)). */
async function poolThreads(): Promise<readonly number[]> {
  const seen = new Set<string>()
  for (let round = 0; seen.size < poolSize && round < 100; round += 1) {
    const asked = await Promise.all(Array.from({ length: 4 * poolSize }, () => readlink('/proc/thread-self')))
    for (const thread of asked) seen.add(thread)
  }
  return [...seen].map((thread) => Number(basename(thread)))
}
