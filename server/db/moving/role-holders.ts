import type { Driver } from '../connect.ts'

/** The ids of users with any of these platform roles. */
export async function findRoleHolders(sql: Driver, roles: readonly string[]): Promise<readonly string[]> {
  const text = 'select id from users where roles && array(select json_array_elements_text($1::text::json))'
  return (await sql.unsafe<{ id: string }[]>(text, [JSON.stringify(roles)])).map(({ id }) => id)
}
