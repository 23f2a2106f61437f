import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { Environment } from '../config.ts'
import { cloneDatabase, settingsOf } from './database.ts'
import { freePort } from './ports.ts'
import { patient, type Spawned, spawnServer } from './process.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Services of several workers, one at a time, on a database of the file that asks. */
export function useWorkers() {
  let cloned: Awaited<ReturnType<typeof cloneDatabase>>
  let running: Spawned | undefined
  beforeAll(async () => {
    cloned = await cloneDatabase()
  })
  afterAll(() => cloned.drop())
  afterEach(async () => {
    await running?.kill('SIGTERM')
    running = undefined
  })
  return {
    settings: () => settingsOf(cloned.database),
    /** The process that was started last. */
    running: () => running,
    /** Two workers, or as many as the settings say. `file`: a config file, or its text in JavaScript. */
    start: async (settings: Environment = {}, file: object | string = {}) => {
      const cwd = temporaryFolder('workers')
      if (typeof file === 'string') writeFileSync(join(cwd, 'postern.config.mjs'), file)
      else writeFileSync(join(cwd, 'postern.config.json'), JSON.stringify(file))
      const options = JSON.stringify({ cwd, ...patient })
      const port = await freePort()
      const given = { WORKERS: '2', PORT: String(port), ...settingsOf(cloned.database), ...settings }
      running = spawnServer(given, `serve(${options}).then((code) => { process.exitCode = code })`)
      return { process: running, url: await running.untilListening(), cwd, port }
    },
  }
}

export const workersOf = ({ pid }: Spawned): number[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([own = 0]) => own)

/** Each on a connection of its own, all at once. */
export const flood = (count: number, url: string, headers: Readonly<Record<string, string>> = {}) =>
  Promise.all(Array.from({ length: count }, () => fetch(url, { headers: { ...headers, connection: 'close' } })))

/** The process that answered, from the request's id. */
export const answeredBy = (reply: Response): string => reply.headers.get('x-request-id')?.split('-')[0] ?? ''

export const linesOf = ({ output }: Spawned, text: string) =>
  output()
    .split('\n')
    .filter((line) => line.includes(text))
