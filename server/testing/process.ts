import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { inject } from 'vitest'
import type { Environment } from '../config.ts'
import type { Database } from '../db/connect.ts'
import { settingsOf } from './database.ts'
import { freePort } from './ports.ts'
import { watchOver } from './running.ts'
import { testSecret } from './settings.ts'
import { slack } from './slack.ts'

export interface Spawned {
  readonly pid: number
  readonly stderr: Readable
  /** All that it wrote so far, to stdout and stderr. */
  readonly output: () => string
  /** Its exit code, or the signal that it died of. */
  readonly exited: Promise<number | NodeJS.Signals>
  /** Ends it; resolves as `exited` does. */
  readonly kill: (signal?: NodeJS.Signals) => Promise<number | NodeJS.Signals>
  /** Address of its API, base path included, once it is ready to serve. */
  readonly untilListening: () => Promise<string>
}

export type ServiceProcess = Omit<Spawned, 'untilListening'> & { readonly url: string }

/** For a machine that stands still for seconds, which is no rush of people. */
export const patient = {
  hashing: { running: 2, waiting: 64, timeout: 60_000 * slack },
  checkTimeout: 500 * slack,
  collectTime: 60_000 * slack,
}
export const serving = `serve(${JSON.stringify(patient)}).then((code) => { process.exitCode = code })`
/** The same, but that the notice which SIGTERM gives to load balancers ends by SIGUSR2, and not by the clock. */
export const servingUntilTold = `
  const { default: timers } = await import('node:timers/promises')
  const told = new Promise((resolve) => process.once('SIGUSR2', resolve))
  const { setTimeout: sleep } = timers
  timers.setTimeout = (...given) => (given.join() === '1000' ? told : sleep(...given))
  const { syncBuiltinESMExports } = await import('node:module')
  syncBuiltinESMExports()
  ${serving}
`

/** What it takes to start a process on a busy machine, and more. */
const timeout = 200_000

/** The built service as an operating-system process of its own, ready to serve. */
export async function startProcess(database: Database, settings: Environment = {}): Promise<ServiceProcess> {
  const { untilListening, ...spawned } = spawnServer({ ...(await ownPort()), ...settingsOf(database), ...settings })
  return { ...spawned, url: await untilListening() }
}

/** A process that runs a script with all that the built service exports in scope; by default it serves. */
export function spawnServer(settings: Environment, script = serving, module = inject('service')): Spawned {
  if (!existsSync(module)) throw new Error('The service is not built: run npm run build')
  const child = spawn(process.execPath, ['--input-type=module', '--eval', programOf(script, module)], {
    env: { PATH: process.env.PATH, ...quiet, SECRET: testSecret, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => chunks.push(text))
  const output = () => chunks.join('')
  watchOver(child, output)
  const kill = (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal)
    return exited
  }
  const ready = async () => {
    try {
      return await untilListening(output, exited)
    } catch (error) {
      await kill()
      throw error
    }
  }
  return { pid: child.pid!, stderr: child.stderr, output, exited, kill, untilListening: ready }
}

const programOf = (script: string, module: string): string => `
  const { serve, startService, migrateDatabase, loadConfig, createLog } = await import(${JSON.stringify(pathToFileURL(module).href)})
  ${script}
`

/** A port that nobody has after it, for a service that is asked when it is dead, too. */
export const ownPort = async (): Promise<Environment> => ({ PORT: String(await freePort()) })

const quiet = { PORT: '0', RATE_LIMIT: 'off', LOG_FORMAT: 'json', MIGRATE: 'off', DATABASE_POOL: '5' }

/** The service says where it listens when it is ready, and not before. */
async function untilListening(output: () => string, exited: Promise<unknown>): Promise<string> {
  let isOver = false
  void exited.then(() => {
    isOver = true
  })
  for (
    const end = Date.now() + timeout;
    !isOver && Date.now() < end;
    await new Promise((next) => setTimeout(next, 10))
  ) {
    const [, url, base] = /"url":"([^"]+)","base":"([^"]+)".*"msg":"listening"/.exec(output()) ?? []
    if (url && base) return `${url}${base}`
  }
  throw new Error(`The service did not start:\n${output()}`)
}
