import type postgres from 'postgres'
import type { Sql } from './connect.ts'

/** What a row is found by: the digest of a secret, or the id or address of the caller. */
export type Key = string | Buffer

/** A part of a statement that yields the row: its type is that of the columns in it, or else what the caller says. */
type Found<Row extends object> = postgres.PendingQuery<Row[]> | postgres.PendingQuery<postgres.Row[]>

interface Marked {
  readonly asked: Key
  readonly isFound: boolean | null
}

/**
 * The one row that `found` yields, or null; `steps` are common table expressions before it. The answer always has one row, and
 * that repeats the key: no answer to another question, and no hole, can pass for this one's or for nothing found.
 */
export async function findOwn<Row extends object>(
  sql: Sql,
  key: Key,
  found: Found<Row>,
  steps?: postgres.Fragment,
): Promise<Row | null> {
  const rows = await sql<(Row & Marked)[]>`
    with ${steps ? sql`${steps},` : sql``}
    found as (${found})
    select q.asked, f.*
    from (select ${key}::${typeof key === 'string' ? sql`text` : sql`bytea`} as asked) q
    left join (select true as is_found, found.* from found) f on true
  `
  const { asked: _asked, isFound, ...row } = ownRow(sql, rows, key)
  return isFound ? (row as unknown as Row) : null
}

/** The same for a statement that always finds a row. */
export async function getOwn<Row extends object>(
  sql: Sql,
  key: Key,
  found: Found<Row>,
  steps?: postgres.Fragment,
): Promise<Row> {
  const row = await findOwn<Row>(sql, key, found, steps)
  if (!row) throw sql.distrust()
  return row
}

/** The only row of an answer, which has to repeat the key; otherwise it may be somebody else's, and the pool is ended. */
export function ownRow<Row extends { readonly asked: Key }>(sql: Sql, rows: readonly Row[], key: Key): Row {
  const [row] = rows
  if (rows.length !== 1 || !row || !isSame(row.asked, key)) throw sql.distrust()
  return row
}

/** The rows of an answer to several keys by their key: each of them exactly once, and no other; else as above, for all of them. */
export function ownRows<Row extends { readonly asked: string }>(
  sql: Sql,
  rows: readonly Row[],
  keys: ReadonlySet<string>,
): ReadonlyMap<string, Row> {
  const own = new Map<string, Row>()
  for (const row of rows) if (row && keys.has(row.asked)) own.set(row.asked, row)
  if (rows.length !== keys.size || own.size !== keys.size) throw sql.distrust()
  return own
}

const isSame = (asked: Key, key: Key): boolean =>
  typeof asked === 'string' || typeof key === 'string' ? asked === key : Buffer.isBuffer(asked) && key.equals(asked)

/** The row of a statement that always answers one. */
export async function one<Row>(answer: PromiseLike<readonly Row[]>): Promise<Row> {
  const row = await oneOrNone(answer)
  if (row === null) throw new Error('A statement without conditions answered nothing')
  return row
}

/** The row of a statement that answers one at the most. */
export async function oneOrNone<Row>(answer: PromiseLike<readonly Row[]>): Promise<Row | null> {
  const [row] = await answer
  return row ?? null
}

/**
 * Always true, and not before a step (common table expression) has yielded its last row. The server is free in the order of
 * steps: what has to be locked or counted first is asked for by this.
 */
export const isDone = (sql: Sql, step: string) => sql`(select count(*) from ${sql(step)}) >= 0`
