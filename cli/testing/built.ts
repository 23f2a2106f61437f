import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { bin } from './real-service.ts'

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

interface BuiltOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
  /** Called with the running process. */
  readonly during?: (child: ChildProcess) => void | Promise<void>
}

/** The built program as a process of its own, with nothing of this one's environment but PATH. */
export async function runBuilt(
  argv: readonly string[],
  { env, input, cwd, during }: BuiltOptions = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [bin, ...argv], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: '/nowhere', ...env },
  })
  const texts: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  child.stdin.on('error', () => {})
  child.stdin.end(input ?? '')
  const closed = once(child, 'close')
  await during?.(child)
  const [code, signal] = (await closed) as [number | null, NodeJS.Signals | null]
  return { code, signal, ...texts }
}
