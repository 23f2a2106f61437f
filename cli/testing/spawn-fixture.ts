import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { bundle } from './bundle.ts'

/** A fixture as a real process that is spoken to line by line. */
export interface Fixture {
  readonly process: ChildProcess
  readonly pid: number
  /** Lines so far. */
  readonly lines: readonly string[]
  say(line: string): void
  /** The next line that begins so. */
  hear(start: string): Promise<string>
  /** Kills without notice, and waits until it is gone. */
  kill(): Promise<void>
  ended: Promise<number | null>
}

/** A fixture of this folder as a program, for spawnFixture. */
export const makeFixture = (name: string): Promise<string> => bundle(new URL(name, import.meta.url))

export function spawnFixture(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Fixture {
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  let heard = 0
  const wakeAll = () => {
    for (const wake of waiting) wake()
    waiting.clear()
  }
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    wakeAll()
  })
  child.once('close', wakeAll)
  child.stdin.on('error', () => {})
  const ended = once(child, 'close').then(([code]) => code as number | null)

  const next = (start: string): string | undefined => {
    const at = lines.findIndex((line, index) => index >= heard && line.startsWith(start))
    if (at < 0) return undefined
    heard = at + 1
    return lines[at]
  }
  const hear = async (start: string): Promise<string> => {
    for (;;) {
      const line = next(start)
      if (line !== undefined) return line
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${file} ended without saying ${start}`)
      await new Promise<void>((wake) => waiting.add(wake))
    }
  }
  return {
    process: child,
    pid: child.pid ?? 0,
    lines,
    say: (line) => void child.stdin.write(`${line}\n`),
    hear,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    ended,
  }
}
