import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { buildIndex, type ConcurrentIndex, concurrentIndexOf, FailedMigration, isBeingBuilt } from './build-index.ts'
import { connectBeside, type Driver, readCommitted } from './connect.ts'
import { liftLimits, noticeLostClient, type Tx } from './long-work.ts'
import { isOutage } from './outage.ts'

interface Migration {
  readonly name: string
  readonly text: string
  readonly checksum: string
  /** The oldest migration that a version must know to work with this one. Null: this one itself. */
  readonly worksWith: string | null
  /** What it builds outside a transaction. Null: it runs in one. */
  readonly concurrentIndex: ConcurrentIndex | null
}

const ownFolder = fileURLToPath(new URL('../../migrations/', import.meta.url))
/** An arbitrary constant of our own. All processes that migrate one database ask for the same lock. */
const lock = 4_100_001
/**
 * Of those that build an index. An older version waits for the other lock within a statement, whose snapshot would hold
 * up the build.
 */
const indexLock = 4_100_004

export interface MigrateOptions {
  /** Ends with a slash. */
  readonly folder?: string
  /** Only these, as a backup names them. */
  readonly only?: ReadonlySet<string> | undefined
  /** How often each migration is tried while others use the tables it changes. */
  readonly tries?: number
  /** Milliseconds between two tries. */
  readonly pause?: number
  /** Called after each attempt that got no lock. */
  readonly onBlocked?: (name: string, tries: number) => void
}

type Waiting = Pick<Required<MigrateOptions>, 'pause' | 'onBlocked'>

/** How often within a pause a process asks whether it is its turn to migrate. */
const asksInPause = 30

/** Ten minutes in total, since a dump of a large database takes several. */
const defaults = { folder: ownFolder, tries: 150, pause: 3000, onBlocked: () => undefined }

/**
 * Applies the missing migrations, each in its own transaction, or outside one on a second connection. Returns the
 * names of those applied.
 */
export async function migrate(sql: Driver, options: MigrateOptions = {}): Promise<string[]> {
  const settings = { ...defaults, ...options }
  const migrations = readMigrations(settings.folder)
  const applied = await findApplied(sql)
  refuseNewer(migrations, applied)
  const missing = migrations
    .filter(({ name }) => options.only?.has(name) ?? true)
    .filter((migration) => isMissing(migration, applied))
  const done: string[] = []
  for (const migration of missing) if (await applyPatiently(sql, migration, settings)) done.push(migration.name)
  return done
}

/** Throws when the database is too new for this version. Changes nothing. */
export async function checkVersion(sql: Driver): Promise<void> {
  refuseNewer(readMigrations(), await findApplied(sql))
}

/** The names of the migrations that the database lacks. Changes nothing. */
export async function pendingMigrations(sql: Driver): Promise<string[]> {
  const applied = await findApplied(sql)
  return readMigrations()
    .filter((migration) => isMissing(migration, applied))
    .map(({ name }) => name)
}

/** The migrations of a backup that this version does not know. */
export const unknownMigrations = (names: readonly string[]): string[] => {
  const known = new Set(readNames())
  return names.filter((name) => !known.has(name))
}

/** The names of the migrations that a database has. */
export const appliedMigrations = async (sql: Driver): Promise<string[]> => [...(await findApplied(sql)).keys()]

/** The tables that the migrations make. Months of the audit trail are tables below one of them. */
export const ownTables = (): string[] => [
  ...new Set(
    readMigrations().flatMap(({ text }) => Array.from(text.matchAll(/create table (\w+)/g), ([, name = '']) => name)),
  ),
]

/** The name of this version's last migration. */
export const newestMigration = (): string => readNames().at(-1) ?? ''

const readNames = (folder = ownFolder): string[] =>
  readdirSync(folder)
    .filter((name) => /^\d{4}_\w+\.sql$/.test(name))
    .toSorted()

const readMigrations = (folder = ownFolder): Migration[] =>
  readNames(folder).map((name) => {
    const text = readFileSync(`${folder}${name}`, 'utf8')
    const [, worksWith = null] = /^-- works with (\d{4}_\w+\.sql)[,\n]/.exec(text) ?? []
    return { name, text, checksum: hash('sha256', text), worksWith, concurrentIndex: concurrentIndexOf(text) }
  })

interface AppliedRow {
  readonly name: string
  readonly checksum: string
  readonly worksWith: string | null
}
type Applied = ReadonlyMap<string, AppliedRow>

async function findApplied(sql: Driver): Promise<Applied> {
  const [found] = await sql<{ exists: boolean; encoding: string }[]>`
    select to_regclass('migrations') is not null as exists, current_setting('server_encoding') as encoding
  `
  if (!found?.exists) return refuseEncoding(found?.encoding)
  // As JSON, since the column came later than the table.
  const rows = await sql<AppliedRow[]>`
    select name, checksum, to_jsonb(m) ->> 'works_with' as "worksWith" from migrations m
  `
  return new Map(rows.map((row) => [row.name, row]))
}

/** Names of people and organizations are Unicode. SQL_ASCII keeps any bytes, so it holds them too. */
function refuseEncoding(encoding = 'UTF8'): Applied {
  if (encoding === 'UTF8' || encoding === 'SQL_ASCII') return new Map()
  throw new Error(
    `The database is encoded as ${encoding}, which cannot hold every name: make it anew, createdb --encoding UTF8 --locale C.UTF-8 --template template0`,
  )
}

/**
 * A migration from a newer version is accepted when it declares that it works with one known here. So the older version
 * still starts during a rolling update, or again after a rollback. Any other unknown migration stops the start.
 */
function refuseNewer(migrations: readonly Migration[], applied: Applied): void {
  const known = new Set(migrations.map(({ name }) => name))
  const isTooNew = ({ name, worksWith }: AppliedRow) => !known.has(name) && !known.has(worksWith ?? name)
  const newer = [...applied.values()].filter(isTooNew).map(({ name }) => name)
  if (newer.length === 0) return
  const names = newer.toSorted().join(', ')
  throw new Error(`A newer version of Postern has migrated the database (${names}): start that version or a later one`)
}

function isMissing({ name, checksum }: Migration, applied: Applied): boolean {
  const known = applied.get(name)
  if (known && known.checksum !== checksum)
    throw new Error(
      `Migration ${name} was changed after it was applied: restore the file, and put the change in a new migration`,
    )
  return !known
}

/** Retries while others use the tables that the migration changes: a dump, say, or a long report. */
async function applyPatiently(
  sql: Driver,
  migration: Migration,
  { tries, ...waiting }: Waiting & Pick<Required<MigrateOptions>, 'tries'>,
): Promise<boolean> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await applyInTurn(sql, migration, waiting)
    } catch (error) {
      if (!isLocked(error)) throw error
      if (tried >= tries) throw new FailedMigration(blockedSentence(migration), { cause: error })
      waiting.onBlocked(migration.name, tried)
      await sleep(waiting.pause)
    }
  }
}

const isLocked = (error: unknown): boolean => Object(error).code === '55P03'

/** An outage stays one, since a start tries that again. */
function failedMigration(name: string, cause: unknown): never {
  if (isOutage(cause)) throw cause
  const sentence = `Migration ${name} failed, and nothing of it was applied (${(cause as Error).message}): remove the cause, then start again`
  throw new FailedMigration(sentence, { cause })
}

const blockedSentence = ({ name }: Migration): string =>
  `Migration ${name} could not get its lock: end the transactions that use the same tables (see pg_stat_activity), then start again`

/**
 * Waits for other processes that migrate, between transactions: one that builds an index waits for all transactions that
 * have a snapshot at that moment.
 */
async function applyInTurn(sql: Driver, migration: Migration, { pause, onBlocked }: Waiting): Promise<boolean> {
  for (let asked = 1; ; asked += 1) {
    const isApplied = await apply(sql, migration)
    if (isApplied !== null) return isApplied
    if (asked % asksInPause === 0) onBlocked(migration.name, asked / asksInPause)
    await sleep(pause / asksInPause)
  }
}

/**
 * Null: another process migrates, or the server still does for one that is gone. Who comes after it checks again, and
 * finds nothing left to do.
 */
const apply = (sql: Driver, { name, text, checksum, worksWith, concurrentIndex }: Migration): Promise<boolean | null> =>
  sql.begin(readCommitted, async (tx) => {
    const own = concurrentIndex ? indexLock : lock
    const [turn] = await tx<{ isOurs: boolean }[]>`select pg_try_advisory_xact_lock(${own}) as "isOurs"`
    if (!turn?.isOurs || (concurrentIndex && (await isBeingBuilt(tx, concurrentIndex)))) return null
    await liftLimits(tx)
    await tx`
      create table if not exists migrations (
        name text primary key,
        checksum text not null,
        applied_at timestamptz(3) not null default now()
      )
    `
    // Only when the column is missing: even when it does nothing, `alter table` takes a lock that blocks all readiness
    // checks.
    const [column] = await tx`
      select from pg_attribute where attrelid = 'migrations'::regclass and attname = 'works_with' and not attisdropped
    `
    if (!column) await tx`alter table migrations add column works_with text`
    const [done] = await tx`select checksum from migrations where name = ${name}`
    if (done) return false
    // While it waits to change a table, all other statements on that table queue behind it. So it waits only for a
    // moment. This statement also ends the snapshot of the one before, for which the build of an index would wait.
    await tx`set local lock_timeout = '1s'`
    if (concurrentIndex) await buildBeside(tx, sql, { name, text }, concurrentIndex)
    else await tx.unsafe(text).catch((cause: unknown) => failedMigration(name, cause))
    await tx`insert into migrations (name, checksum, works_with) values (${name}, ${checksum}, ${worksWith})`
    return true
  }) as Promise<boolean | null>

/** The transaction holds the lock meanwhile, so that no other process builds the same index. */
async function buildBeside(
  tx: Tx,
  sql: Driver,
  { name, text }: Pick<Migration, 'name' | 'text'>,
  index: ConcurrentIndex,
): Promise<void> {
  await noticeLostClient(tx)
  const beside = connectBeside(sql)
  try {
    await buildIndex(beside, name, text, index)
  } finally {
    await beside.end({ timeout: 1 })
  }
}
