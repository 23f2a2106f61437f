import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Environment } from '../config.ts'
import type { Database } from '../db/connect.ts'
import { settingsOf } from './database.ts'

export interface ServiceProcess {
  /** Address of its API, base path included. */
  readonly url: string
  /** All that it wrote so far, to stdout and stderr. */
  output(): string
  /** Ends it; resolves to its exit code, or to the signal that it died of. */
  kill(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>
}

const main = new URL('../../dist/server/main.js', import.meta.url)
const program = `import(${JSON.stringify(main.href)}).then(({ serve }) => serve()).then((code) => { process.exitCode = code })`
const secret = 'k3Jx9vQ2mWz7Lr5TbN8yHd4FsG6pCa1E'
const patience = 20_000

/** The built service as an operating-system process of its own, ready to serve. */
export async function startProcess(database: Database, settings: Environment = {}): Promise<ServiceProcess> {
  if (!existsSync(fileURLToPath(main))) throw new Error('The service is not built: run npm run build')
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: { PATH: process.env.PATH, ...quiet, SECRET: secret, ...settingsOf(database), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => chunks.push(text))
  process.once('exit', () => child.kill('SIGKILL'))
  const output = () => chunks.join('')
  const kill = (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal)
    return exited
  }
  try {
    return { url: await untilListening(output, exited), output, kill }
  } catch (error) {
    await kill()
    throw error
  }
}

const quiet = { PORT: '0', RATE_LIMIT: 'off', LOG_FORMAT: 'json', MIGRATE: 'off' }

/** The service says where it listens when it is ready, and not before. */
async function untilListening(output: () => string, exited: Promise<unknown>): Promise<string> {
  let isOver = false
  void exited.then(() => {
    isOver = true
  })
  for (
    const end = Date.now() + patience;
    !isOver && Date.now() < end;
    await new Promise((next) => setTimeout(next, 10))
  ) {
    const [, url, base] = /"url":"([^"]+)","base":"([^"]+)".*"msg":"listening"/.exec(output()) ?? []
    if (url && base) return `${url}${base}`
  }
  throw new Error(`The service did not start:\n${output()}`)
}
