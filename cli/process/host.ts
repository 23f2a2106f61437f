import type { Environment } from '../settings/folders.ts'

/** The parts of a process that the command line uses; tests hand in their own. */
export interface Host {
  readonly env: Environment
  readonly cwd: string
  /** Of this machine; undefined where it is not to be told. */
  readonly hostname?: string
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Ended by Ctrl+C: whatever waits has to give up. */
  readonly signal: AbortSignal
}
