import type { Driver } from '../connect.ts'

/** How far a database was read. */
export interface Mark {
  /** Cluster, timeline and database. */
  readonly history: string
  /** Transactions committed before have lower numbers. */
  readonly transaction: bigint
}

/** Rows to read after an earlier run: those of this transaction and later ones, and those with one of these ids. */
export interface Changed {
  readonly transaction: number
  readonly ids: readonly string[]
}

/** How far the snapshot of the transaction reads. Null where the role must not ask. */
export async function markOf(tx: Driver): Promise<Mark | null> {
  const asked = ['pg_control_system()', 'pg_control_checkpoint()']
  const [right] = await tx.unsafe<{ mayAsk: boolean }[]>(
    `select bool_and(coalesce(has_function_privilege(to_regprocedure(name), 'execute'), false)) as "mayAsk"
     from unnest($1::text[]) as f (name)`,
    [asked],
  )
  if (!right?.mayAsk) return null
  const [row] = await tx.unsafe<{ history: string; transaction: string }[]>(`
    select concat_ws(' ', s.system_identifier, c.timeline_id, d.oid) as history,
      txid_snapshot_xmin(txid_current_snapshot())::text as transaction
    from ${asked[0]} s, ${asked[1]} c, pg_database d where d.datname = current_database()
  `)
  return row ? { history: row.history, transaction: BigInt(row.transaction) } : null
}

/** @param ids rows that the next run reads again. */
export const textOfMark = ({ history, transaction }: Mark, ids: readonly string[]): string =>
  JSON.stringify([history, String(transaction), ids])

/** Transaction ids of rows have 32 bits, and count as newer by at most half of them. */
const half = 2n ** 31n

/** What changed since the earlier mark. Null where the rows do not tell. */
export function changedSince(earlier: string | null, now: Mark | null): Changed | null {
  if (earlier === null || !now) return null
  const [history, text, ids] = JSON.parse(earlier) as [string, string, string[]]
  const first = BigInt(text)
  // Numbers that went back are of a database that was restored.
  const isKnown = history === now.history && first <= now.transaction && now.transaction - first < half
  return isKnown ? { transaction: Number(first % (2n * half)), ids } : null
}

/** Rows of the table `t` that were written in that transaction or later. Some that are frozen count as well. */
export const isWrittenSince = (transaction: number): string =>
  `mod(t.xmin::text::bigint - ${transaction} + ${2n * half}, ${2n * half}) < ${half}`
