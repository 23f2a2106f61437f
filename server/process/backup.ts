import { createReadStream, existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { openFrames, sealFrames, UnusableBackup } from '../backup/frames.ts'
import { unzipped, zipped } from '../backup/gzip.ts'
import { type BackupRecord, countRows, type Fact, factRecord, parseRecords, rowRecords } from '../backup/records.ts'
import {
  type BackupTable,
  DatabaseInUse,
  describeServer,
  findTables,
  inLockedSnapshot,
  inRestore,
  isEmptyDatabase,
  listSequences,
  readRows,
  sqlOf,
} from '../db/backup.ts'
import type { Driver } from '../db/connect.ts'
import { recordCopy } from '../db/database-copies.ts'
import { appliedMigrations, migrate, unknownMigrations } from '../db/migrate.ts'
import { openConfiguredDatabase } from './configured-database.ts'
import { withConnection } from './database.ts'
import { type Counts, writeRecords } from './restore-tables.ts'
import type { SettingsPlace } from './serve.ts'
import { version } from './version.ts'

/** What was restored, and what the copy holds until it is told that it replaces the original. */
export interface Restored {
  readonly tables: Counts
  readonly heldMails: number
  readonly parkedWebhooks: number
}

/** Streams the bytes of a backup of one snapshot. `counts` and `leftOut` are complete when the stream has ended. */
async function* contentOf(sql: Driver, counts: Record<string, number>, leftOut: string[]): AsyncGenerator<Buffer> {
  if ((await appliedMigrations(sql)).length === 0)
    throw new Error('The database has no tables of Postern: there is nothing to back up')
  // A transaction of the driver is a callback: what it reads is handed over piece by piece.
  yield* handedOver((give) =>
    inLockedSnapshot(sql, async (tx) => {
      const server = await describeServer(tx)
      refuseNewer(server.migrations)
      await give(factRecord({ kind: 'manifest', version, ...server }))
      const { tables, others } = await findTables(tx)
      leftOut.push(...others)
      for (const table of tables) {
        await give(factRecord({ kind: 'table', name: table.into, columns: table.columns }))
        for await (const record of rowRecords(countedRows(await readRows(tx, table), table, counts))) await give(record)
      }
      for (const { name, value } of await listSequences(tx)) await give(factRecord({ kind: 'sequence', name, value }))
      await give(factRecord({ kind: 'end', counts }))
    }),
  )
}

/** Tables that a newer version made would be left out, also where this version works with them. */
function refuseNewer(migrations: readonly string[]): void {
  const unknown = unknownMigrations(migrations)
  if (unknown.length > 0)
    throw new Error(
      `A newer version of Postern has migrated the database (${unknown.join(', ')}): make the backup with that version`,
    )
}

async function* countedRows(rows: Readable, { into }: BackupTable, counts: Record<string, number>) {
  counts[into] ??= 0
  for await (const bytes of rows as AsyncIterable<Buffer>) {
    counts[into] += countRows(bytes)
    yield bytes
  }
}

/** The pieces that `work` gives, one at a time. Rejects as `work` does. */
async function* handedOver(work: (give: (piece: Buffer) => Promise<void>) => Promise<unknown>): AsyncGenerator<Buffer> {
  const stream = new Readable({ objectMode: true, highWaterMark: 1, read: () => resume() })
  let resume = () => undefined as void
  const give = async (piece: Buffer) => {
    if (stream.destroyed) throw new Error('The backup was given up')
    if (!stream.push(piece)) await new Promise<void>((resolve) => (resume = resolve))
  }
  stream.once('close', () => resume())
  work(give).then(
    () => stream.push(null),
    (error: Error) => stream.destroy(error),
  )
  yield* stream as AsyncIterable<Buffer>
}

export interface BackupOptions extends SettingsPlace {
  /** Null: it is not encrypted. */
  readonly passphrase: string | null
  /**
   * Aborted to give it up. Nothing is left of it then, unless all was restored already. Whoever gave a stream ends that.
   */
  readonly signal?: AbortSignal | undefined
}

export interface BackedUp {
  readonly tables: Counts
  /** Tables in the same schema that are not the service's. */
  readonly leftOut: readonly string[]
}

/** Writes a backup of the configured database to a file that is not there yet, or to a stream. */
export async function backUp(
  to: string | Writable,
  { passphrase, signal, ...place }: BackupOptions,
): Promise<BackedUp> {
  return withDatabase(place, { mayCreate: false }, async (sql) => {
    const [tables, leftOut]: [Record<string, number>, string[]] = [{}, []]
    const content = sealFrames(zipped(contentOf(sql, tables, leftOut)), passphrase)
    await cutBy(signal, sql, () => write(to, content, signal))
    return { tables, leftOut }
  })
}

/** Ends the connection when the signal comes: a statement may be waiting for a lock. */
async function cutBy<T>(signal: AbortSignal | undefined, sql: Driver, work: () => Promise<T>): Promise<T> {
  const cut = () => void sql.end({ timeout: 0 })
  signal?.addEventListener('abort', cut, { once: true })
  return work().finally(() => signal?.removeEventListener('abort', cut))
}

/** A file gets its name when it is whole and on the disk. */
async function write(to: string | Writable, bytes: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<void> {
  const until = signal ? { signal } : {}
  if (typeof to !== 'string') return pipeline(bytes, to, { end: false, ...until })
  if (existsSync(to)) throw Object.assign(new Error(`${to} exists`), { code: 'EEXIST', path: to })
  const part = `${to}.part`
  const file = await open(part, 'wx', 0o600)
  try {
    await pipeline(bytes, (pieces) => writeAll(file, part, pieces), until)
    await file.sync().catch(named(part))
    await file.close()
    await rename(part, to)
  } catch (error) {
    await file.close().catch(() => undefined)
    await rm(part, { force: true })
    throw error
  }
}

/** Names the file in errors of an open one, which have no path. */
const named = (path: string) => (error: Error) => {
  throw Object.assign(error, { path })
}

/** Writes all of it, or fails: a single write may write a part. */
async function writeAll(file: FileHandle, path: string, pieces: AsyncIterable<Buffer>): Promise<void> {
  for await (const piece of pieces) await file.writeFile(piece).catch(named(path))
}

/**
 * Restores a backup into the configured database, which must be empty, in one transaction. A file is read through
 * before anything is written.
 *
 * @throws UnusableBackup when it is damaged, cut off, newer than this version, or not opened by the passphrase.
 */
export async function restore(
  from: string | AsyncIterable<Buffer>,
  { passphrase, signal, ...place }: BackupOptions,
): Promise<Restored> {
  // The error of reading a folder names no file.
  const read = (path: string) =>
    createReadStream(path, { ...(signal && { signal }) }).on('error', (error) => void Object.assign(error, { path }))
  // A pipe with a name, such as that of `<(…)` in a shell, can be read only once.
  if (typeof from === 'string' && !(await stat(from)).isFIFO())
    for await (const _ of openFrames(read(from), passphrase));
  const source = typeof from === 'string' ? read(from) : from
  return withDatabase(place, { mayCreate: true }, (sql) =>
    restoreFrom(sql, unzipped(openFrames(source, passphrase)), signal),
  )
}

async function restoreFrom(sql: Driver, content: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<Restored> {
  const records = parseRecords(content)
  try {
    return await restoreRecords(sql, records, signal)
  } finally {
    // Ends the streams, also where the rest was not read.
    await records.return(undefined)
  }
}

async function restoreRecords(
  sql: Driver,
  records: AsyncGenerator<BackupRecord>,
  signal?: AbortSignal,
): Promise<Restored> {
  const { value: first } = await records.next()
  const manifest = first && 'fact' in first && first.fact.kind === 'manifest' ? first.fact : null
  if (!manifest) throw new UnusableBackup('The backup is damaged: it does not begin with its manifest')
  refuseUnknown(manifest)
  if (!(await isEmptyDatabase(sql)))
    throw new DatabaseInUse('The database is not empty: a backup is restored into a new, empty database only')
  const strange = (await appliedMigrations(sql)).filter((name) => !manifest.migrations.includes(name))
  if (strange.length > 0)
    throw new DatabaseInUse(
      `The database is of a newer version than the backup (${strange.join(', ')}): a backup is restored into a new, empty database`,
    )
  // Later migrations change the restored rows, as they would have changed those of the original.
  await migrate(sql, { only: new Set(manifest.migrations) })
  const write = () =>
    inRestore(sql, async (tx, columns) => {
      const tables = await writeRecords(records, tx, columns)
      const held = await recordCopy(sqlOf(tx))
      return { tables, heldMails: held?.mails ?? 0, parkedWebhooks: held?.webhooks ?? 0 }
    })
  // What is committed cannot be given up, so the rest is done all the same.
  const restored = await cutBy(signal, sql, write)
  await migrate(sql)
  return restored
}

function refuseUnknown({ version: by, migrations }: Extract<Fact, { kind: 'manifest' }>): void {
  const unknown = unknownMigrations(migrations)
  if (unknown.length > 0)
    throw new UnusableBackup(
      `The backup was made by version ${by}, which is newer (${unknown.join(', ')}): restore it with that version`,
    )
}

async function withDatabase<T>(
  place: SettingsPlace,
  options: { readonly mayCreate: boolean },
  work: (sql: Driver) => Promise<T>,
): Promise<T> {
  const { database, close } = await openConfiguredDatabase(place, options)
  try {
    return await withConnection(database, undefined, work)
  } finally {
    await close()
  }
}
