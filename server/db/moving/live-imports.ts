import type { Driver } from '../connect.ts'

/** How many sessions that moved in are live. */
export async function countLiveImports(sql: Driver): Promise<number> {
  const [row] = await sql.unsafe<{ sessions: number }[]>(
    'select count(*)::integer as sessions from sessions where imported and expires_at > now()',
  )
  return row?.sessions ?? 0
}
