import type { Readable, Writable } from 'node:stream'
import { type Driver, readCommitted, type Sql } from './connect.ts'
import { liftLimits, refuseHiddenRows, type Tx } from './long-work.ts'
import { ownTables } from './migrate.ts'

export interface BackupTable {
  readonly name: string
  /** Of the table that takes the rows: a month of the audit trail is restored into the trail. */
  readonly into: string
  readonly columns: readonly string[]
}

interface FoundTables {
  /** Parents come before tables that refer to them. */
  readonly tables: readonly BackupTable[]
  /**
   * Tables that are not the service's, such as a month of the trail that somebody keeps, or those of another program.
   */
  readonly others: readonly string[]
}

/** The tables there, except the one that migrations keep. */
export async function findTables(tx: Tx): Promise<FoundTables> {
  const own = new Set(ownTables())
  const tables = await tx<{ name: string; into: string; columns: string[]; parents: string[] }[]>`
    select c.relname as name, coalesce(p.relname, c.relname) as "into",
      array(
        select a.attname from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        order by a.attnum
      )::text[] as columns,
      array(
        select f.confrelid::regclass::text from pg_constraint f
        where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid
      )::text[] as parents
    from pg_class c
    left join pg_inherits i on i.inhrelid = c.oid
    left join pg_class p on p.oid = i.inhparent
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> 'migrations'
    order by 1
  `
  return {
    tables: inOrder(tables.filter(({ into }) => own.has(into))),
    others: tables.flatMap(({ name, into }) => (own.has(into) ? [] : [name])),
  }
}

function inOrder<T extends { readonly name: string; readonly parents: readonly string[] }>(tables: readonly T[]): T[] {
  const ordered: T[] = []
  const waiting = new Set(tables)
  const isThere = (name: string) => ordered.some((table) => table.name === name)
  while (waiting.size > 0) {
    const next = [...waiting].find(({ parents }) => parents.every(isThere))
    if (!next)
      throw new Error(`Tables refer to each other in a circle: ${[...waiting].map(({ name }) => name).join(', ')}`)
    ordered.push(next)
    waiting.delete(next)
  }
  return ordered
}

/** Runs `work` in one snapshot, which sees nothing that is written meanwhile. */
export async function inLockedSnapshot<T>(sql: Driver, work: (tx: Tx) => Promise<T>): Promise<T> {
  const names = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname = any(${ownTables()}::text[])
  `
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    await liftLimits(tx)
    await tx`set local lock_timeout = '10s'`
    await refuseHiddenRows(tx)
    // Before the snapshot: after it, no month of the trail ends and no migration changes a table.
    if (names.length > 0) await tx`lock table ${tx(names.map(({ name }) => name))} in access share mode`
    return work(tx)
  }) as Promise<T>
}

export async function describeServer(
  tx: Tx,
): Promise<{ readonly server: string; readonly migrations: readonly string[] }> {
  const [row] = await tx<{ server: string; migrations: string[] }[]>`
    select current_setting('server_version') as server, array(select name from migrations order by name) as migrations
  `
  if (!row) throw new Error('The server did not say which version it is')
  return row
}

const columnList = (tx: Tx, columns: readonly string[]) => tx(columns as string[])

export const readRows = (tx: Tx, { name, columns }: BackupTable): Promise<Readable> =>
  tx`copy (select ${columnList(tx, columns)} from only ${tx(name)}) to stdout`.readable()

export async function writeRows(tx: Tx, table: string, columns: readonly string[]): Promise<Writable> {
  const copy = tx`copy ${tx(table)} (${columnList(tx, columns)}) from stdin`
  const rows = await copy.writable()
  // What the server refuses at the end of the rows, the driver tells only the query, which its stream has settled.
  Reflect.set(copy, 'reject', (error: Error) => rows.destroy(error))
  // What it refuses between two pieces, nobody is waiting for: the next one asks the stream.
  rows.on('error', () => undefined)
  return rows
}

/** Sequences of identity columns, with the last value that each gave. */
export const listSequences = (tx: Tx) => tx<{ name: string; value: string }[]>`
  select sequencename as name, coalesce(last_value, 0)::text as value from pg_sequences
  where schemaname = current_schema() order by 1
`

/** Whether the database has neither people nor events: our tables may be there, as a first start makes them. */
export async function isEmptyDatabase(sql: Driver): Promise<boolean> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
  `
  const names = new Set(tables.map(({ name }) => name))
  if (names.size === 0) return true
  if (!names.has('migrations') || !names.has('users') || !names.has('audit_events')) return false
  const [row] = await sql<{ isEmpty: boolean }[]>`
    select not exists (select from users) and not exists (select from audit_events)
      and not exists (select from organizations) as "isEmpty"
  `
  return row?.isEmpty === true
}

/** A database that already has people or events, or tables of another program. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse'
}

/**
 * Runs `work`, which writes rows, in one transaction without our triggers, since what they do was done before the
 * backup. Needs no right but that of the owner of the tables. Throws DatabaseInUse when the database is no longer empty.
 */
export async function inRestore<T>(
  sql: Driver,
  work: (tx: Tx, columns: ReadonlyMap<string, readonly string[]>) => Promise<T>,
): Promise<T> {
  let failure: unknown
  const restoring = sql.begin(readCommitted, async (tx) => {
    await liftLimits(tx)
    const { tables } = await findTables(tx)
    const names = tables.map(({ name }) => name)
    await tx`lock table ${tx(names)} in access exclusive mode`
    if (!(await isEmptyDatabase(tx as unknown as Driver)))
      throw new DatabaseInUse('Somebody has begun to use the database meanwhile')
    for (const name of names) await tx`alter table ${tx(name)} disable trigger user`
    await tx`truncate ${tx(names)}`
    const columns = new Map(tables.map((table) => [table.name, table.columns]))
    const done = await withEqualEvents(tx, () => work(tx, columns)).catch((error: unknown) => {
      failure = error
      throw error
    })
    await tx`set constraints all immediate`
    for (const name of names) await tx`alter table ${tx(name)} enable trigger user`
    return done
  })
  // A COPY that is cut off closes the connection, which says only that.
  return restoring.catch((error: unknown) => {
    throw failure ?? error
  }) as Promise<T>
}

/**
 * Runs `work` without the index that joins equal events. A month ends within a minute, whose equal events may be in both
 * months, and they come back in one table. Then only the newest of them can be joined.
 */
async function withEqualEvents<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  const [index] = await tx<{ isThere: boolean }[]>`
    select to_regclass('audit_events_equality_key') is not null as "isThere"
  `
  if (!index?.isThere) return work()
  await tx`drop index audit_events_equality_key`
  const done = await work()
  await tx`
    update audit_events e set equality = null
    from (
      select id, row_number() over (partition by equality order by created_at desc, id desc) as place
      from audit_events where equality is not null
    ) ranked
    where e.id = ranked.id and ranked.place > 1
  `
  await tx`create unique index audit_events_equality_key on audit_events (equality) where equality is not null`
  return done
}

export const setSequence = (tx: Tx, name: string, value: string) => tx`
  select setval(to_regclass(quote_ident(${name})), greatest(${value}::text::bigint, 1), ${value}::text <> '0')
`

export const sqlOf = (tx: Tx): Sql => tx as unknown as Sql
