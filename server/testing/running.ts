import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

const running = new Set<ChildProcess>()

// A worker that is interrupted runs no hook any more.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Remembers a process for as long as it runs. */
export function watchOver(child: ChildProcess): void {
  running.add(child)
  for (const end of ['exit', 'error']) child.once(end, () => running.delete(child))
}

/** Ends what is still running, and throws if anything was: it would take time and memory from all later tests. */
export async function endRunning(): Promise<void> {
  const left = [...running]
  await Promise.all(left.map(end))
  if (left.length > 0)
    throw new Error(`Left running, and ended now: ${left.map(({ pid }) => `process ${pid}`).join(', ')}`)
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
