import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

const running = new Set<ChildProcess>()

// A worker that is interrupted runs no hook any more.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** What no process sends to another: the system's answer to a fault, or that of V8. */
const crashes: readonly unknown[] = ['SIGABRT', 'SIGBUS', 'SIGILL', 'SIGSEGV', 'SIGTRAP']
const crashed: string[] = []

/** Remembers a process for as long as it runs, and what it wrote if it crashes. */
export function watchOver(child: ChildProcess, output = () => ''): void {
  running.add(child)
  for (const end of ['exit', 'error']) child.once(end, () => running.delete(child))
  child.once('exit', (_code, signal) => {
    if (crashes.includes(signal)) crashed.push(`process ${child.pid} (${signal}) ${output()}`)
  })
}

/**
 * Ends what is still running, and throws if anything was: it would take time and memory from all later tests. Throws also
 * if anything crashed.
 */
export async function endRunning(): Promise<void> {
  const left = [...running]
  await Promise.all(left.map(end))
  const ended = left.map(({ pid }) => `process ${pid}`)
  const problems = [
    ...(ended.length > 0 ? [`Left running, and ended now: ${ended.join(', ')}`] : []),
    ...crashed.splice(0).map((crash) => `Crashed: ${crash}`),
  ]
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
