import type { Driver } from '../connect.ts'

/** A point in the history of a cluster: everything that was committed before it has a lower transaction id. */
export interface Mark {
  /** Cluster and timeline. */
  readonly history: string
  readonly transaction: bigint
}

/** Where the snapshot of the transaction stands. Null where the role must not ask. */
export async function markOf(tx: Driver): Promise<Mark | null> {
  const asked = ['pg_control_system()', 'pg_control_checkpoint()']
  const [right] = await tx.unsafe<{ mayAsk: boolean }[]>(
    `select bool_and(has_function_privilege(name, 'execute')) as "mayAsk" from unnest($1::text[]) as f (name)`,
    [asked],
  )
  if (!right?.mayAsk) return null
  const [row] = await tx.unsafe<{ history: string; transaction: string }[]>(`
    select s.system_identifier || ' ' || c.timeline_id as history,
      txid_snapshot_xmin(txid_current_snapshot())::text as transaction
    from ${asked[0]} s, ${asked[1]} c
  `)
  return row ? { history: row.history, transaction: BigInt(row.transaction) } : null
}

/** Transaction ids of rows have 32 bits, and count as newer by at most half of them. */
const half = 2n ** 31n

/** The transaction from which on rows are new to the reader of an earlier mark. Null where they do not tell. */
export function transactionAfter(earlier: string | null, now: Mark | null): number | null {
  const [history, transaction = ''] = (earlier ?? '').split('/')
  if (!now || history !== now.history) return null
  const first = BigInt(transaction)
  return now.transaction - first < half ? Number(first % (2n * half)) : null
}

export const textOfMark = ({ history, transaction }: Mark): string => `${history}/${transaction}`

/** Rows of the table `t` that were written in that transaction or later. Some that are frozen count as well. */
export const isWrittenSince = (transaction: number): string =>
  `mod(t.xmin::text::bigint - ${transaction} + ${2n * half}, ${2n * half}) < ${half}`
