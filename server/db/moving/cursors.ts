import type { Driver } from '../connect.ts'

/** From where the next run of this source reads; null before the first batch. */
export async function findPosition(sql: Driver, source: string): Promise<string | null> {
  const [row] = await sql.unsafe<{ position: string }[]>('select position from imports where source = $1', [source])
  return row?.position ?? null
}

/** In the transaction of the batch that ends there. */
export async function storePosition(tx: Driver, source: string, position: string): Promise<void> {
  await tx.unsafe(
    `insert into imports as i (source, position) values ($1, $2)
     on conflict (source) do update set position = excluded.position, updated_at = now()`,
    [source, position],
  )
}

/** After the last batch: a run of the same source begins anew. */
export async function forgetPosition(sql: Driver, source: string): Promise<void> {
  await sql.unsafe('delete from imports where source = $1', [source])
}

/** What the last run had read that left nothing unread. */
export const findMark = (sql: Driver, source: string): Promise<string | null> => findPosition(sql, markOf(source))

export const storeMark = (tx: Driver, source: string, mark: string): Promise<void> =>
  storePosition(tx, markOf(source), mark)

const markOf = (source: string): string => `mark of ${source}`
