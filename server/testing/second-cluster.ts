import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import postgres from 'postgres'
import type { Database } from '../db/connect.ts'
import { migrate } from '../db/migrate.ts'
import { startEmbedded } from '../embedded/start.ts'
import { settingsOf } from './database.ts'
import { temporaryFolder } from './temporary-folder.ts'

const quiet = { info: () => undefined, warn: () => undefined }
/** Debian's programs, of the server that the tests are given there. */
const bin = '/usr/lib/postgresql/15/bin'
export const hasDebian = existsSync(`${bin}/pg_dump`)
const isDebian = process.env.TEST_DATABASE_URL !== undefined && hasDebian

interface Cluster {
  readonly database: Database
  stop(): Promise<void>
}

/** A PostgreSQL that has nothing in common with the one of the other tests: its numbers of transactions begin anew. */
export async function secondCluster(byDebian = isDebian): Promise<Cluster> {
  const { PATH = '' } = process.env
  if (byDebian) process.env.PATH = `${bin}:${PATH}`
  const settings = ['fsync=off', 'synchronous_commit=off', 'autovacuum=off']
  const made = { dataDir: temporaryFolder('cluster'), log: quiet, settings }
  const embedded = await startEmbedded({ ...made, ...(byDebian ? { packageFolder: null } : {}) })
  process.env.PATH = PATH
  return { database: embedded.connection, stop: () => embedded.stop() }
}

/** Dumps a database and restores it: by pg_dump where there is one, else by rows, which come with all that a dump has of them. */
export async function restoreIn(to: Database, from: Database): Promise<void> {
  if (isDebian) return restoreDump(to, from)
  const [source, target] = [open(from), open(to)]
  await migrate(target as never)
  const tables = await source<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'migrations'
  `
  await target.begin(async (tx) => {
    // As in a restore, which makes constraints and triggers last.
    await tx`set local session_replication_role = replica`
    for (const { name } of tables) await copyTable(tx as unknown as postgres.Sql, source, name)
  })
  await Promise.all([source.end(), target.end()])
}

async function copyTable(target: postgres.Sql, source: postgres.Sql, name: string): Promise<void> {
  const columns = await source<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${name} and is_generated = 'NEVER'
  `
  const list = columns.map((column) => `"${column.name}"`).join(', ')
  const [row] = await source<
    { rows: string }[]
  >`select coalesce(json_agg(t), '[]')::text as rows from only ${source(name)} t`
  await target.unsafe(`delete from only ${name}`)
  await target.unsafe(
    `insert into ${name} (${list}) overriding system value select ${list} from json_populate_recordset(null::${name}, $1::text::json)`,
    [row!.rows],
  )
}

function restoreDump(to: Database, from: Database): void {
  const [source, target] = [from, to].map((database) => settingsOf(database)['DATABASE_URL'] ?? '')
  const dump = execFileSync(`${bin}/pg_dump`, ['--no-owner', '--dbname', source!], { maxBuffer: 2 ** 30 })
  execFileSync(`${bin}/psql`, ['--quiet', '--set', 'ON_ERROR_STOP=1', '--dbname', target!], {
    input: dump,
    stdio: 'pipe',
  })
}

const open = (database: Database) => {
  const options = { max: 2, onnotice: () => undefined }
  return typeof database === 'string' ? postgres(database, options) : postgres({ ...database, ...options })
}
