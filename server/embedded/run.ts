import { execFile } from 'node:child_process'
import type { ClusterSetup } from './cluster-setup.ts'

/** What a program said; code -1 and the system's error code when it could not be started at all. */
export interface ProgramResult {
  readonly code: number
  readonly failure: string
  readonly output: string
}

/** Nothing of our environment: PGDATA, PGPORT and the like would change what PostgreSQL does; messages are read in English. */
export const serverEnvironment: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC' }

/** Runs a program of PostgreSQL to its end, as the user that owns the database. */
export function run(setup: ClusterSetup, file: string, args: readonly string[]): Promise<ProgramResult> {
  const options = { cwd: setup.dataDir, env: serverEnvironment, windowsHide: true, ...setup.owner }
  return new Promise((resolve) => {
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      const failure = typeof error?.code === 'string' ? error.code : ''
      resolve({ code: failure ? -1 : (child.exitCode ?? (error ? -1 : 0)), failure, output: `${stdout}${stderr}` })
    })
  })
}
