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
export async function endLinks(tx: Driver, living: Ids, users: Ids): Promise<number> {
  const gone = await goneOf(tx, `verifications where value = '${importedLink}'`, living, users)
  return deleteFrom(tx, 'verifications', gone)
}

/** The same for second factors: whoever gave one up, or has another one, may have lost it. */
export const endSecondFactors = async (tx: Driver, living: Ids, users: Ids): Promise<number> =>
  deleteFrom(tx, 'imported_two_factors', await goneOf(tx, 'imported_two_factors', living, users))

const isGone = 'id in (select json_array_elements_text($1::text::json))'

async function goneOf(tx: Driver, rows: string, living: Ids, users: Ids): Promise<string> {
  const found = await tx.unsafe<{ id: string; user_id: string }[]>(`select id, user_id from ${rows}`)
  return JSON.stringify(found.flatMap(({ id, user_id: user }) => (users.has(user) && !living.has(id) ? [id] : [])))
}

const deleteFrom = async (tx: Driver, table: string, gone: string): Promise<number> =>
  (await tx.unsafe(`delete from ${table} where ${isGone} returning id`, [gone])).length
