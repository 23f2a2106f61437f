import type { Driver } from '../connect.ts'
import { importedLink } from '../verifications.ts'

/** Ends sessions that moved in, were never used here, and live no more where they come from. Returns how many. */
export async function endSessions(tx: Driver, living: ReadonlySet<unknown>): Promise<number> {
  const gone = await goneOf(tx, 'sessions where imported and secret_label is null and expires_at > now()', living)
  // Nobody has to note that they ended here, since they ended there.
  await tx.unsafe(`update sessions set imported = false where imported and secret_label is null and ${isGone}`, [gone])
  const text = `delete from sessions where not imported and secret_label is null and ${isGone} returning id`
  return (await tx.unsafe(text, [gone])).length
}

/** The same for links. */
export async function endLinks(tx: Driver, living: ReadonlySet<unknown>): Promise<number> {
  const gone = await goneOf(tx, `verifications where value = '${importedLink}'`, living)
  return (await tx.unsafe(`delete from verifications where ${isGone} returning id`, [gone])).length
}

const isGone = 'id in (select json_array_elements_text($1::text::json))'

async function goneOf(tx: Driver, rows: string, living: ReadonlySet<unknown>): Promise<string> {
  const ids = await tx.unsafe<{ id: string }[]>(`select id from ${rows}`)
  return JSON.stringify(ids.flatMap(({ id }) => (living.has(id) ? [] : [id])))
}
