import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Server } from './person.ts'
import { type Cost, costOf } from './processes.ts'

export const contenderNames = ['ours', 'peer-1.2', 'peer-1.7', 'limit'] as const
export type ContenderName = (typeof contenderNames)[number]

type Environment = Readonly<Record<string, string>>

/** A running server that is measured. */
export interface Contender extends Server {
  readonly name: ContenderName
  /** From the start of its process until it took requests. */
  readonly startMs: number
  readonly startCpuMs: number
  cost(): Cost
  stop(): Promise<void>
}

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const [ours, peer, limit] = [file('../../bin/postern.js'), file('servers/peer.js'), file('servers/limit.js')]

interface Program {
  readonly args: readonly string[]
  /** Makes its tables; what has none makes them at its start. */
  readonly migrate?: readonly string[]
  readonly env: Environment
  readonly probe: string
}

const peerOf = (version: string): Program => ({
  args: [peer],
  migrate: [peer, '--migrate'],
  env: { PEER: version },
  probe: '/api/auth/ok',
})

const programs: Readonly<Record<ContenderName, Program>> = {
  ours: {
    args: [ours, 'serve'],
    env: { RATE_LIMIT: 'off', COOKIE_CACHE_MAX_AGE: '300', INVITATION_REQUIRES_VERIFIED_EMAIL: 'off' },
    probe: '/api/auth/ready',
  },
  'peer-1.2': peerOf('1.2'),
  'peer-1.7': peerOf('1.7'),
  limit: { args: [limit], env: {}, probe: '/api/auth/ok' },
}

// One for all, so that the limit can read the service's cookies.
const secret = randomBytes(32).toString('base64')
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export interface ContenderOptions {
  /** The address of its database; none for a service with an embedded one. */
  readonly database?: string
  readonly isMigrated?: boolean
  readonly env?: Environment
  /** Its log is dropped: an hour of load writes a gigabyte. */
  readonly isUnlogged?: boolean
}

/** Starts a server with nothing of this process's environment but PATH, and waits until it takes requests. */
export async function startContender(name: ContenderName, options: ContenderOptions): Promise<Contender> {
  const { database = '', isMigrated = false, env = {}, isUnlogged = false } = options
  const program = programs[name]
  const { port, origin } = await freeAddress()
  const address = database === '' ? {} : { DATABASE_URL: database }
  const settings = { PORT: port, BASE_URL: origin, SECRET: secret, ...address, ...program.env, ...env }
  const host = openHost(settings, isUnlogged)
  if (program.migrate && !isMigrated) {
    const [code] = await once(host.launch(program.migrate), 'exit')
    if (code !== 0) throw host.failure(name)
  }
  const began = performance.now()
  const child = host.launch(program.args)
  if (!(await becomesReady(child, `${origin}${program.probe}`))) throw host.failure(name)
  const startMs = performance.now() - began
  const cost = () => costOf(child.pid ?? 0)
  const stop = async () => {
    const exited = child.exitCode === null ? once(child, 'exit') : undefined
    child.kill('SIGTERM')
    await exited
    host.remove()
  }
  return { name, origin, database, startMs, startCpuMs: cost().cpuMs, cost, stop }
}

/** A folder of its own, where what it says is kept. */
function openHost(env: Environment, isUnlogged: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-contender-'))
  const said = isUnlogged ? '/dev/null' : join(folder, 'log')
  const log = openSync(said, 'a')
  const whole = { PATH: process.env.PATH ?? '', HOME: folder, NODE_ENV: 'production', ...env }
  const launch = (args: readonly string[]) => {
    const child = spawn(process.execPath, args, { cwd: folder, env: whole, stdio: ['ignore', log, log] })
    running.add(child)
    child.once('exit', () => running.delete(child))
    return child
  }
  const failure = (name: string) =>
    new Error(`${name} did not start. It said:\n${readFileSync(said, 'utf8').slice(-3000)}`)
  const remove = () => {
    closeSync(log)
    rmSync(folder, { recursive: true, force: true })
  }
  return { launch, failure, remove }
}

async function becomesReady(child: ChildProcess, url: string): Promise<boolean> {
  const deadline = performance.now() + 60_000
  while (child.exitCode === null && performance.now() < deadline) {
    if (await takesRequests(url)) return true
    await sleep(2)
  }
  return false
}

const takesRequests = (url: string) =>
  fetch(url).then(
    async (answer) => {
      await answer.arrayBuffer()
      return answer.ok
    },
    () => false,
  )

async function freeAddress() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return { port: String(port), origin: `http://127.0.0.1:${port}` }
}
