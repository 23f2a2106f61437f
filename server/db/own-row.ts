import type postgres from 'postgres'
import type { Sql } from './connect.ts'

/** What a row is found by: a secret's digest, or the id or address of who asks. */
export type Key = string | Buffer

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
  found: postgres.Fragment,
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
  found: postgres.Fragment,
  steps?: postgres.Fragment,
): Promise<Row> {
  const row = await findOwn<Row>(sql, key, found, steps)
  if (!row) throw sql.distrust()
  return row
}

/** The only row of an answer, which has to repeat the key; else the answer is somebody else's, and the pool is ended. */
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
