import { execFile, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterSetup } from './cluster-setup.ts'
import type { Engine } from './engine.ts'
import { EmbeddedDatabaseError } from './error.ts'
import { isAlive } from './process.ts'
import { run, serverEnvironment } from './run.ts'
import { openLog } from './server-log.ts'

const GONE_WITHIN_MS = 60_000
const LOCK_FILE_WITHIN_MS = 5000

/** A postmaster that this process started. `exit` is set once it has ended. */
export interface Launch {
  readonly logOffset: number
  exit?: { readonly code: number | null; readonly error?: Error }
}

/** The pid in the data folder's lock file, which may be stale. */
export async function readPid(cluster: string): Promise<number | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  return Number.parseInt(text, 10) || undefined
}

/** Returns whether that process is this folder's server. After a reboot the pid may belong to any process. */
export async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false
  if (process.platform === 'win32') return true
  return `${await commandLine(pid)} `.includes(` -D ${cluster} `)
}

/** Unlike other entries of /proc, everybody can read this one. Empty for a zombie. */
async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return text.replaceAll('\0', ' ').trimEnd()
  }
  return new Promise((resolve) => {
    execFile('ps', ['-ww', '-o', 'command=', '-p', String(pid)], (_, stdout) => resolve(stdout.trimEnd()))
  })
}

/** Starts a server that outlives this process and ignores the terminal's Ctrl-C. Returns once it has its lock file. */
export async function launchPostmaster(
  setup: ClusterSetup,
  engine: Engine,
  stalePid: number | undefined,
): Promise<Launch> {
  const log = await openLog(setup.logFile)
  const launch: Launch = { logOffset: (await log.stat()).size }
  // PostgreSQL trusts a lock file whose pid is alive, unless that is its own grandparent's. So we declare a pid that is
  // no longer a server's to be the grandparent. PostgreSQL's other check remains: no process may be attached to the old
  // shared memory.
  const overruled = stalePid === undefined ? {} : { PG_GRANDPARENT_PID: String(stalePid) }
  const child = spawn(join(engine.bin, 'postgres'), serverArguments(setup), {
    cwd: setup.dataDir,
    env: { ...serverEnvironment, ...overruled },
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
    windowsHide: true,
    ...setup.owner,
  })
  child.once('exit', (code) => (launch.exit = { code }))
  child.once('error', (error) => (launch.exit = { code: -1, error }))
  child.unref()
  await log.close()
  const deadline = Date.now() + LOCK_FILE_WITHIN_MS
  while (!launch.exit && (await readPid(setup.cluster)) !== child.pid && Date.now() < deadline) await sleep(2)
  return launch
}

/** Requests a fast shutdown and waits until the process has ended. */
export async function stopPostmaster(setup: ClusterSetup, findEngine: () => Promise<Engine>): Promise<void> {
  const pid = await readPid(setup.cluster)
  if (pid === undefined || !(await isPostmaster(pid, setup.cluster))) return
  // Windows has no signals: process.kill() would end the server like a crash.
  if (process.platform === 'win32')
    await run(setup, join((await findEngine()).bin, 'pg_ctl'), ['stop', '-D', setup.cluster, '-m', 'fast'])
  else process.kill(pid, 'SIGINT')
  const deadline = Date.now() + GONE_WITHIN_MS
  while (await isPostmaster(pid, setup.cluster)) {
    if (Date.now() > deadline)
      throw new EmbeddedDatabaseError(`The embedded PostgreSQL (process ${pid}) does not stop. See ${setup.logFile}.`)
    await sleep(5)
  }
}

/** Small enough for a laptop alongside other work. PostgreSQL's durability guarantees stay on. */
const settings = [
  'cluster_name=postern',
  'max_connections=200',
  'shared_buffers=32MB',
  'max_wal_size=256MB',
  'fsync=on',
  'full_page_writes=on',
  'synchronous_commit=on',
  'timezone=UTC',
  'log_timezone=UTC',
  'unix_socket_permissions=0700',
  // No ERROR entries: the service reports those itself, and here they would quote people's addresses.
  'log_min_messages=log',
  'log_error_verbosity=terse',
  'log_checkpoints=off',
]

/**
 * The server's command line. Settings are here rather than in postgresql.conf, so that an update also reaches old data
 * folders.
 */
function serverArguments({ cluster, address, settings: more = [] }: ClusterSetup): string[] {
  const loopback = address.password !== undefined
  const where = [
    `listen_addresses=${loopback ? address.host : ''}`,
    `unix_socket_directories=${loopback ? '' : `"${address.host.replaceAll('"', '""')}"`}`,
  ]
  return [
    '-D',
    cluster,
    '-p',
    String(address.port),
    ...[...where, ...settings, ...more].flatMap((setting) => ['-c', setting]),
  ]
}
