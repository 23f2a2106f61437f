import type postgres from 'postgres'
import type { ReadSql } from './connect.ts'

/** Whether a lower-case text contains the value in any case. */
export function contains(sql: ReadSql, text: postgres.Fragment, value: string): postgres.Fragment {
  const pattern = value.replaceAll(/[\\%_]/g, String.raw`\$&`)
  return sql`${text} like '%' || lower(${pattern}) || '%'`
}
