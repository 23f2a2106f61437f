import type postgres from 'postgres'
import type { Sql } from './connect.ts'

interface ExpiredRows {
  readonly table: string
  readonly key?: string
  /** The column with the moment after which a row is over, behind `end`. */
  readonly moment?: string
  /** The database's present time, if not given. */
  readonly end?: postgres.Fragment
}

/** Deletes rows whose time is over, one bounded batch at a time. Concurrent processes never wait for each other. */
export const deleteExpiredRows = (
  sql: Sql,
  { table, key = 'id', moment = 'expires_at', end = sql`now()` }: ExpiredRows,
  batch: number,
) => sql`
  delete from ${sql(table)}
  where ${sql(key)} = any(array(
    select ${sql(key)} from ${sql(table)}
    where ${sql(moment)} <= ${end}
    order by ${sql(moment)}
    limit ${batch}
    for update skip locked
  ))
`
