import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import { connectForMigration } from '../../db/connect.ts'
import { migrate } from '../../db/migrate.ts'
import { freePort } from '../ports.ts'
import { slack } from '../slack.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { processesBelow, send } from './database-machine.ts'
import { asPostgres, give, postgresFolder } from './place.ts'
import { Supervised } from './supervised.ts'

/** A running PostgreSQL of Debian. */
interface Server {
  readonly url: string
  /** Sends a signal to each of its processes. */
  signal(signal: NodeJS.Signals): void
  /** Ends it as a power cut does, until `start`. */
  kill(): void
  start(): void
  stop(): Promise<void>
}

/** A primary with the tables of the service, and a streaming replica of it. */
export interface Replicated {
  readonly primary: Server
  readonly replica: Server
  /** Replays each commit so many seconds late, from now on. */
  holdBack(seconds: number): void
  promote(): void
  /** Until the replica has all that the primary has now. */
  caughtUp(): Promise<void>
  stop(): Promise<void>
}

const run = (program: string, ...args: readonly string[]) => {
  const [command = '', ...rest] = asPostgres(join(postgresFolder, program), ...args)
  execFileSync(command, rest, { stdio: 'pipe', cwd: '/' })
}

const settings = ['fsync=off', 'max_connections=200', 'listen_addresses=127.0.0.1', 'unix_socket_directories=']

function serverIn(folder: string, port: number): Server {
  const options = [...settings, `port=${port}`].flatMap((setting) => ['-c', setting])
  const program = new Supervised({
    command: asPostgres(join(postgresFolder, 'postgres'), '-D', folder, ...options),
    log: `${folder}.log`,
  })
  const signal = (name: NodeJS.Signals) => {
    for (const pid of processesBelow(join(folder, 'postmaster.pid'))) send(pid, name)
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    signal,
    kill: () => {
      program.hold()
      signal('SIGKILL')
    },
    start: () => program.release(),
    stop: async () => {
      signal('SIGCONT')
      await program.stop('SIGQUIT')
    },
  }
}

const ask = async <T>(server: Server, text: string): Promise<T> => {
  const sql = connectForMigration(server.url, 1)
  try {
    const [row] = await sql.unsafe(text)
    return Object.values(row ?? {})[0] as T
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const untilUp = (server: Server) => vi.waitFor(() => ask(server, 'select 1'), { timeout: 60_000, interval: 50 })

export async function startReplicated(): Promise<Replicated> {
  if (!existsSync(join(postgresFolder, 'pg_basebackup'))) throw new Error('apt-get install postgresql-15')
  const root = temporaryFolder('replicated')
  give(root, 0o711)
  const [first, second] = ['primary', 'replica'].map((name) => join(root, name)) as [string, string]
  for (const folder of [first, second]) {
    mkdirSync(folder)
    give(folder, 0o700)
  }
  run('initdb', '-D', first, '-U', 'postgres', '-A', 'trust', '--no-sync')
  const [port, replicaPort] = [await freePort(), await freePort()]
  const primary = serverIn(first, port)
  await untilUp(primary)
  const sql = connectForMigration(primary.url)
  await migrate(sql)
  await sql.end()
  const from = `host=127.0.0.1 port=${port} user=postgres`
  run('pg_basebackup', '-d', from, '-D', second, '-R', '-X', 'stream', '-c', 'fast', '--no-sync')
  const replica = serverIn(second, replicaPort)
  await untilUp(replica)
  return {
    primary,
    replica,
    holdBack(seconds) {
      appendFileSync(join(second, 'postgresql.auto.conf'), `recovery_min_apply_delay = '${seconds}s'\n`)
      run('pg_ctl', 'reload', '-D', second)
    },
    promote: () => run('pg_ctl', 'promote', '-D', second, '-w'),
    async caughtUp() {
      const lsn = await ask<string>(primary, 'select pg_current_wal_insert_lsn()::text')
      const isThere = () => ask<boolean>(replica, `select pg_last_wal_replay_lsn() >= '${lsn}'`)
      await vi.waitUntil(isThere, { timeout: 60_000 * slack, interval: 50 })
    },
    stop: async () => {
      await replica.stop()
      await primary.stop()
    },
  }
}
