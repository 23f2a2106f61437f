export type Environment = Readonly<Record<string, string | undefined>>

/** The parts of a process that the command line uses. Tests provide their own. */
export interface Host {
  readonly env: Environment
  readonly cwd: string
  /** The machine's name; undefined if it must not be shared. */
  readonly hostname?: string
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Aborted by Ctrl+C: whatever is waiting has to stop. */
  readonly signal: AbortSignal
  /** From now on SIGTERM aborts the signal too. Without this call it ends the process at once. */
  readonly heedTermination?: (() => void) | undefined
}
