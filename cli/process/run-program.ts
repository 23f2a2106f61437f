import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Environment } from './host.ts'

/** Runs a program in place of this one: with its streams, and ended by what ends it. Answers its exit code. */
export async function runProgram(file: string, args: readonly string[], env: Environment): Promise<number> {
  const pass = (signal: NodeJS.Signals) => void child.kill(signal)
  const handlers = signals.map((signal) => [signal, isFromTerminal(signal) ? () => {} : pass] as const)
  // Before the program runs: it could be signalled at once.
  for (const [signal, handle] of handlers) process.on(signal, handle)
  const child = spawn(file, args, { stdio: 'inherit', env })
  const ended = (await once(child, 'exit').finally(() => {
    for (const [signal, handle] of handlers) process.off(signal, handle)
  })) as [number | null, NodeJS.Signals | null]
  return codeOf(ended)
}

/** Starts a program that outlives this one. It may be missing. */
export function startInBackground(
  file: string,
  args: readonly string[],
  { output, ...place }: { readonly cwd: string; readonly env: Environment; readonly output: number },
): void {
  spawn(file, args, { ...place, detached: true, stdio: ['ignore', output, 'ignore'] })
    .on('error', () => {})
    .unref()
}

const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGCONT']

/** A terminal sends these to every process at it, so the program has them already. */
const isFromTerminal = (signal: NodeJS.Signals): boolean =>
  (signal === 'SIGINT' || signal === 'SIGQUIT') &&
  [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY)

/** Dies of the signal that the program died of, so that a shell sees it. */
function codeOf([code, signal]: readonly [number | null, NodeJS.Signals | null]): number {
  if (signal === null) return code ?? 1
  process.kill(process.pid, signal)
  return 128 + constants.signals[signal]
}
