import { type Driver, readCommitted } from './connect.ts'

/** The connection of a transaction. */
export type Tx = Parameters<Parameters<Driver['begin']>[1]>[0]

/**
 * Keeps settings of the role or the database from ending a statement for its length, or the transaction for its own.
 * None of these statements takes the snapshot of the transaction.
 */
export async function liftLimits(tx: Tx): Promise<void> {
  await tx`set local statement_timeout = 0`
  await tx`set local idle_in_transaction_session_timeout = 0`
  const [version] = await tx`show server_version_num`.values()
  // `transaction_timeout` exists since PostgreSQL 17.
  if (Number(version?.[0]) >= 170_000) await tx`set local transaction_timeout = 0`
}

/**
 * Lets the server notice within a minute that the machine of an idle transaction is gone, and end it with its locks. By
 * default that takes over two hours. Nothing here takes the snapshot of the transaction.
 */
export async function noticeLostClient(tx: Tx): Promise<void> {
  await tx`set local tcp_keepalives_idle = 30`
  await tx`set local tcp_keepalives_interval = 10`
  await tx`set local tcp_keepalives_count = 3`
}

/** Lets a statement fail where a policy, which may be forced on the owner too, would leave out rows without a word. */
export const refuseHiddenRows = (tx: Tx) => tx`set local row_security = off`

/** A transaction that takes as long as it needs. */
export const withoutLimits = <T>(sql: Driver, work: (tx: Driver) => Promise<T>): Promise<T> =>
  sql.begin(readCommitted, async (tx) => {
    await liftLimits(tx)
    return work(tx as unknown as Driver)
  }) as Promise<T>
