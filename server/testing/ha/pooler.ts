import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../../db/connect.ts'
import { freePort } from '../ports.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { asPostgres, give } from './place.ts'
import { Supervised } from './supervised.ts'

export interface Pooler {
  /** The database as it is reached through here; without prepared statements. */
  readonly databaseUrl: string
  stop(): Promise<void>
}

/** A real PgBouncer in transaction mode before a database of the tests. */
export async function startPooler(database: Database, settings: readonly string[] = []): Promise<Pooler> {
  if (!existsSync('/usr/sbin/pgbouncer')) throw new Error('apt-get install --no-install-recommends pgbouncer')
  const folder = temporaryFolder('pooler')
  const [port, file] = [await freePort(), join(folder, 'pgbouncer.ini')]
  const lines = [
    '[databases]',
    `db = ${targetOf(database)}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    // Whoever comes is who the line above names.
    'auth_type = any',
    'pool_mode = transaction',
    'max_client_conn = 500',
    ...settings,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  for (const [path, mode] of [
    [folder, 0o700],
    [file, 0o600],
  ] as const)
    give(path, mode)
  const program = new Supervised({ command: asPostgres('/usr/sbin/pgbouncer', file), log: join(folder, 'log') })
  return { databaseUrl: `postgres://anybody@127.0.0.1:${port}/db`, stop: () => program.stop('SIGKILL') }
}

function targetOf(database: Database): string {
  if (typeof database !== 'string') {
    const { host, port, user, database: name } = database
    return `host=${host} port=${port} user=${user} dbname=${name}`
  }
  const { hostname, port, username, password, pathname } = new URL(database)
  const secret = password ? ` password=${decodeURIComponent(password)}` : ''
  return `host=${hostname} port=${port || 5432} user=${username}${secret} dbname=${pathname.slice(1)}`
}
