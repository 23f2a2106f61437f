import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Driver } from './connect.ts'

interface Migration {
  readonly name: string
  readonly text: string
  readonly checksum: string
}

const folder = fileURLToPath(new URL('../../migrations/', import.meta.url))
/** Any constant of our own: all processes that migrate one database wait for the same lock. */
const lock = 4_100_001

/** Applies what is missing, each file in its own transaction; returns the names that it applied. */
export async function migrate(sql: Driver): Promise<string[]> {
  const migrations = readMigrations()
  const applied = await findApplied(sql)
  const missing = migrations.filter((migration) => isMissing(migration, applied))
  const done: string[] = []
  for (const migration of missing) if (await apply(sql, migration)) done.push(migration.name)
  return done
}

const readMigrations = (): Migration[] =>
  readdirSync(folder)
    .filter((name) => /^\d{4}_\w+\.sql$/.test(name))
    .toSorted()
    .map((name) => {
      const text = readFileSync(`${folder}${name}`, 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    })

type Applied = ReadonlyMap<string, string>

async function findApplied(sql: Driver): Promise<Applied> {
  const [found] = await sql<{ exists: boolean }[]>`select to_regclass('migrations') is not null as exists`
  if (!found?.exists) return new Map()
  const rows = await sql<{ name: string; checksum: string }[]>`select name, checksum from migrations`
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

/** Names of a newer version that this one does not know are fine: it runs beside it during a rolling update. */
function isMissing({ name, checksum }: Migration, applied: Applied): boolean {
  const known = applied.get(name)
  if (known !== undefined && known !== checksum)
    throw new Error(`Migration ${name} was changed after it had been applied: restore the file, then add a new one`)
  return known === undefined
}

/** Waits for others that migrate, then looks again: whoever comes second has nothing left to do. */
const apply = (sql: Driver, migration: Migration): Promise<boolean> =>
  sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${lock})`
    await tx`
      create table if not exists migrations (
        name text primary key,
        checksum text not null,
        applied_at timestamptz(3) not null default now()
      )
    `
    const [done] = await tx`select checksum from migrations where name = ${migration.name}`
    if (done) return false
    await tx.unsafe(migration.text)
    await tx`insert into migrations (name, checksum) values (${migration.name}, ${migration.checksum})`
    return true
  }) as Promise<boolean>
