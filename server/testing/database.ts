import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { inject } from 'vitest'
import { connect, type Database, type PoolOptions, type Sql } from '../db/connect.ts'
import { recordCopy } from '../db/database-copies.ts'
import { slack } from './slack.ts'

/** Deadlines of statements for which a machine that stands still for seconds is no outage. */
export const patience = { queue: 30_000 * slack, query: 40_000 * slack }

let admin: postgres.Sql | undefined

function connectOnce(database: Database): postgres.Sql {
  const options = { max: 1, idle_timeout: 20, onnotice: () => undefined }
  return typeof database === 'string' ? postgres(database, options) : postgres({ ...database, ...options })
}

/** For all files of a worker; it leaves when nobody has needed it for a while. */
const findAdmin = (server: Database): postgres.Sql => (admin ??= connectOnce(server))

/** A database of its own, cloned from the migrated template; `drop` takes it away. */
export async function cloneDatabase(template = inject('template')) {
  const clone = await cloneUnsettled(template)
  const sql = connectOnce(clone.database)
  await settle(sql as unknown as Sql)
  await sql.end()
  return clone
}

/** The same for whoever settles it with connections of its own: a connection takes longer than the copy. */
export async function cloneUnsettled(template = inject('template')) {
  const server = inject('server')
  const name = `${inject('template')}_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  // By files: through the log, as is usual, takes three times as much of a processor.
  await findAdmin(server).unsafe(`create database ${name} template ${template} strategy file_copy`)
  return {
    database: withName(server, name),
    drop: async () => {
      await findAdmin(server).unsafe(`drop database if exists ${name} with (force)`)
    },
  }
}

/** A clone is a copy of its template; a service says so once, which no other test is about. */
export const settle = (sql: Sql): Promise<unknown> => sql.begin((tx) => recordCopy(tx as unknown as Sql))

/** A clone with a pool, of one connection unless the options say otherwise. `close` ends the pool and drops the clone. */
export async function openClone(options: Partial<PoolOptions> = {}) {
  const { database, drop } = await cloneUnsettled()
  const sql = connect(database, { connections: 1, prepare: true, deadlines: patience, ...options })
  await settle(sql)
  return {
    database,
    sql,
    close: async () => {
      await sql.end({ timeout: 1 })
      await drop()
    },
  }
}

/** An empty database, for what migrates by itself. */
export const emptyDatabase = (options = '') => cloneUnsettled(`template0 ${options}`)

function withName(server: Database, name: string): Database {
  if (typeof server !== 'string') return { ...server, database: name }
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** The database as settings of a service, with the most time for it. */
export const settingsOf = (database: Database): Record<string, string> => ({
  DATABASE_URL: typeof database === 'string' ? database : urlOf(database),
  DATABASE_TIMEOUT: '10s',
})

/** A socket folder stands in the query, as in libpq's addresses. */
const urlOf = ({ host, port, user, database }: Exclude<Database, string>): string =>
  host.startsWith('/')
    ? `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`
    : `postgres://${user}@${host}:${port}/${database}`
