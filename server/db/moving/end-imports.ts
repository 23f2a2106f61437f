import type { Driver } from '../connect.ts'
import { importedLink } from '../verifications.ts'

type Ids = ReadonlySet<unknown>

/**
 * Ends sessions that moved in, were never used here, and live no more where they come from. `users`: those who are
 * there, since another source may have brought other ones. Returns how many.
 */
export async function endSessions(tx: Driver, living: Ids, users: Ids): Promise<number> {
  const rows = 'sessions where imported and secret_label is null and expires_at > now()'
  const gone = await goneOf(tx, rows, living, users)
  // Nobody has to note that they ended here, since they ended there.
  await tx.unsafe(`update sessions set imported = false where imported and secret_label is null and ${isGone}`, [gone])
  const text = `delete from sessions where not imported and secret_label is null and ${isGone} returning id`
  return (await tx.unsafe(text, [gone])).length
}

/** The same for links. */
export const endLinks = (tx: Driver, living: Ids, users: Ids): Promise<number> =>
  endIn(tx, 'verifications', `value = '${importedLink}'`, living, users)

/** The same for second factors: whoever gave one up, or has another one, may have lost it. */
export const endSecondFactors = (tx: Driver, living: Ids, users: Ids): Promise<number> =>
  endIn(tx, 'imported_two_factors', 'true', living, users)

const isGone = 'id in (select json_array_elements_text($1::text::json))'

async function goneOf(tx: Driver, rows: string, living: Ids, users: Ids): Promise<string> {
  const found = await tx.unsafe<{ id: string; user_id: string }[]>(`select id, user_id from ${rows}`)
  return JSON.stringify(found.flatMap(({ id, user_id: user }) => (users.has(user) && !living.has(id) ? [id] : [])))
}

async function endIn(tx: Driver, table: string, condition: string, living: Ids, users: Ids): Promise<number> {
  const gone = await goneOf(tx, `${table} where ${condition}`, living, users)
  return (await tx.unsafe(`delete from ${table} where ${isGone} returning id`, [gone])).length
}
