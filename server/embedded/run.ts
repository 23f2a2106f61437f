import { execFile } from 'node:child_process'
import type { ClusterSetup } from './cluster-setup.ts'

/** A program's output. If the program could not be started, the code is -1 and `failure` is the system's error code. */
export interface ProgramResult {
  readonly code: number
  readonly failure: string
  readonly output: string
}

/**
 * Inherits nothing from our environment, since PGDATA, PGPORT and the like would change PostgreSQL's behaviour.
 * `LC_ALL=C` keeps its messages in English for parsing.
 */
export const serverEnvironment: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC' }

/** Runs a PostgreSQL program to its end, or until `leaving` kills it, as the user that owns the database. */
export function run(
  setup: ClusterSetup,
  file: string,
  args: readonly string[],
  leaving?: AbortSignal,
): Promise<ProgramResult> {
  const ending = leaving ? ({ signal: leaving, killSignal: 'SIGKILL' } as const) : {}
  const options = { cwd: setup.dataDir, env: serverEnvironment, windowsHide: true, ...setup.owner, ...ending }
  return new Promise((resolve) => {
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      const failure = typeof error?.code === 'string' ? error.code : ''
      resolve({ code: failure ? -1 : (child.exitCode ?? (error ? -1 : 0)), failure, output: `${stdout}${stderr}` })
    })
  })
}
