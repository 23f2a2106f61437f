import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { cloneDatabase, settingsOf } from '../../server/testing/database.ts'
import { freePort } from '../../server/testing/ports.ts'
import { watchOver } from '../../server/testing/running.ts'
import { testSecret } from '../../server/testing/settings.ts'
import { defaultApiPath } from '../../shared/service-address.ts'
import { patience } from './patience.ts'

export const bin = fileURLToPath(new URL('../../bin/postern.js', import.meta.url))

export interface RealService {
  /** Its origin. */
  readonly url: string
  /** What it runs with, for the commands that look into its database. */
  readonly settings: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/** `postern serve`, as built, in a process and on a database of its own. */
export async function startRealService(settings: Readonly<Record<string, string>> = {}): Promise<RealService> {
  const { database, drop } = await cloneDatabase()
  const port = String(await freePort())
  const url = `http://localhost:${port}`
  const own = {
    NODE_ENV: 'development',
    LOG_LEVEL: 'warn',
    ...settingsOf(database),
    SECRET: testSecret,
    PORT: port,
    ...settings,
  }
  const child = spawn(process.execPath, [bin, 'serve'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...own },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  watchOver(child)
  await untilReady(`${url}${settings.BASE_PATH ?? defaultApiPath}/ready`, child)
  return {
    url,
    settings: own,
    stop: async () => {
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
      await drop()
    },
  }
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const end = Date.now() + patience
  while (child.exitCode === null && Date.now() < end) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  child.kill('SIGKILL')
  throw new Error(`The service did not become ready at ${url}`)
}
