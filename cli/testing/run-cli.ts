import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { createContext } from '../context.ts'
import type { Host } from '../process/host.ts'
import { run } from '../run.ts'

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** A stream stays open for as long as it likes. */
  readonly stdin?: string | Readable
  /** Streams that are terminals. */
  readonly tty?: readonly ('stdin' | 'stdout' | 'stderr')[]
  readonly columns?: number
  readonly now?: number
  readonly hostname?: string
  readonly signal?: AbortSignal
  /** In place of one that takes whatever is written. */
  readonly stdout?: PassThrough
  /** Told each variable that is looked up. */
  readonly reads?: (variable: string) => void
  /** Told what stderr says while the command still runs. */
  readonly hear?: (text: string) => void
  /** The same of stdout. */
  readonly tell?: (text: string) => void
}

export interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** stdout as JSON. */
  readonly json: unknown
  /** The `error` of a failure under --json. */
  readonly error: Record<string, unknown>
}

/** Runs command lines in this process, with streams of their own and files in a folder of their own. */
export function createRunner(defaults: RunOptions = {}) {
  const folder = temporaryFolder('cli')
  const env = { POSTERN_CONFIG_DIR: join(folder, 'config'), POSTERN_STATE_DIR: join(folder, 'state'), ...defaults.env }
  const postern = async (argv: readonly string[] | string, options: RunOptions = {}): Promise<Finished> => {
    const words = typeof argv === 'string' ? argv.split(' ').filter(Boolean) : argv
    const merged = { ...defaults, ...options, env: { ...env, ...options.env } }
    const stdout = sink(merged.tty?.includes('stdout'), merged.columns, merged.tell, merged.stdout)
    const stderr = sink(merged.tty?.includes('stderr'), merged.columns, merged.hear)
    const code = await run(words, createContext(hostOf(merged, stdout.stream, stderr.stream)))
    return finished(code, stdout.text(), stderr.text())
  }
  return Object.assign(postern, { folder, env })
}

export type Runner = ReturnType<typeof createRunner>

function hostOf(options: RunOptions, stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Host {
  const isTTY = options.tty?.includes('stdin') ?? false
  const { stdin: given = '' } = options
  const source = typeof given === 'string' ? Readable.from([Buffer.from(given)]) : given
  const stdin = Object.assign(source, { isTTY }) as unknown as NodeJS.ReadStream
  return {
    env: watched(options.env ?? {}, options.reads),
    cwd: options.cwd ?? tmpdir(),
    ...(options.hostname !== undefined && { hostname: options.hostname }),
    stdin,
    stdout,
    stderr,
    now: () => options.now ?? Date.now(),
    signal: options.signal ?? new AbortController().signal,
  }
}

const watched = (env: NonNullable<RunOptions['env']>, reads: RunOptions['reads']) =>
  reads
    ? new Proxy(env, {
        get: (all, name: string) => {
          reads(name)
          return all[name]
        },
      })
    : env

function sink(isTTY = false, columns = 80, hear: (text: string) => void = () => {}, through = new PassThrough()) {
  const chunks: string[] = []
  const stream = Object.assign(through, {
    isTTY,
    columns,
    write: (text: string, taken?: (error: Error | null) => void) => {
      chunks.push(text)
      hear(text)
      taken?.(through.errored)
      return true
    },
  }) as unknown as NodeJS.WriteStream
  return { stream, text: () => chunks.join('') }
}

const finished = (code: number, stdout: string, stderr: string): Finished => ({
  code,
  stdout,
  stderr,
  get json() {
    return JSON.parse(stdout)
  },
  get error() {
    return (JSON.parse(stderr) as { error: Record<string, unknown> }).error
  },
})
