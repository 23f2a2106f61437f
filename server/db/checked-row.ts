import type postgres from 'postgres'
import type { ReadSql, Sql } from './connect.ts'

/** The key by which a row is looked up: the digest of a secret, or the caller's id or address. */
export type RowKey = string | Buffer

/** The part of a statement that yields the row. Its columns decide the row's type, or else the caller does. */
type RowQuery<Row extends object> = postgres.PendingQuery<Row[]> | postgres.PendingQuery<postgres.Row[]>

interface KeyedAnswer {
  readonly asked: RowKey
  readonly isFound: boolean | null
}

/**
 * Returns the one row that `found` yields, or null. `steps` are common table expressions before it. The answer always
 * has one row that repeats the key, so an answer to another query, or a missing row, is never mistaken for this one's
 * result.
 */
export async function findRow<Row extends object>(
  sql: ReadSql,
  key: RowKey,
  found: RowQuery<Row>,
  steps?: postgres.Fragment,
): Promise<Row | null> {
  const rows = await sql<(Row & KeyedAnswer)[]>`
    with ${steps ? sql`${steps},` : sql``}
    found as (${found})
    select q.asked, f.*
    from (select ${key}::${typeof key === 'string' ? sql`text` : sql`bytea`} as asked) q
    left join (select true as is_found, found.* from found) f on true
  `
  const { asked: _asked, isFound, ...row } = checkedRow(sql, rows, key)
  return isFound ? (row as unknown as Row) : null
}

/** The same for a statement that always finds a row. */
export async function getRow<Row extends object>(
  sql: ReadSql,
  key: RowKey,
  found: RowQuery<Row>,
  steps?: postgres.Fragment,
): Promise<Row> {
  const row = await findRow<Row>(sql, key, found, steps)
  if (!row) throw sql.distrust()
  return row
}

/**
 * Returns the only row of an answer. If it does not repeat the key it may be another query's answer, so the pool is
 * closed.
 */
export function checkedRow<Row extends { readonly asked: RowKey }>(
  sql: ReadSql,
  rows: readonly Row[],
  key: RowKey,
): Row {
  const [row] = rows
  if (rows.length !== 1 || !row || !isSame(row.asked, key)) throw sql.distrust()
  return row
}

/**
 * Returns the rows of an answer to several keys by key. Each key must occur exactly once and no other key may, or the
 * pool is closed.
 */
export function checkedRows<Row extends { readonly asked: string }>(
  sql: ReadSql,
  rows: readonly Row[],
  keys: ReadonlySet<string>,
): ReadonlyMap<string, Row> {
  const own = new Map<string, Row>()
  for (const row of rows) if (row && keys.has(row.asked)) own.set(row.asked, row)
  if (rows.length !== keys.size || own.size !== keys.size) throw sql.distrust()
  return own
}

const isSame = (asked: RowKey, key: RowKey): boolean =>
  typeof asked === 'string' || typeof key === 'string' ? asked === key : Buffer.isBuffer(asked) && key.equals(asked)

/** Returns the row of a statement that always returns one row. */
export async function one<Row>(answer: PromiseLike<readonly Row[]>): Promise<Row> {
  const row = await oneOrNone(answer)
  if (row === null) throw new Error('A statement that always yields a row yielded none')
  return row
}

/** Returns the row of a statement that returns at most one row. */
export async function oneOrNone<Row>(answer: PromiseLike<readonly Row[]>): Promise<Row | null> {
  const [row] = await answer
  return row ?? null
}

/**
 * Always true, but only after a step (common table expression) has yielded its last row. The server can run steps in
 * any order, so this makes it lock or count one of them first.
 */
export const afterStep = (sql: Sql, step: string) => sql`(select count(*) from ${sql(step)}) >= 0`
