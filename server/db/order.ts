import type { Sql } from './connect.ts'

/**
 * Always true, and not before a step (common table expression) has yielded its last row. The server is free in the order of
 * steps: what has to be locked or counted first is asked for by this.
 */
export const isDone = (sql: Sql, step: string) => sql`(select count(*) from ${sql(step)}) >= 0`
