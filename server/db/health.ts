import type { Sql } from './connect.ts'

/** Whether the database answers within a second. */
export async function isReachable(sql: Sql): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, 1000, false)
  })
  const asked = sql`select 1`.then(
    () => true,
    () => false,
  )
  return Promise.race([asked, late]).finally(() => clearTimeout(timer))
}
