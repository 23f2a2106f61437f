import type postgres from 'postgres'
import { findRow, getRow } from './checked-row.ts'
import type { Sql } from './connect.ts'
import { type CountResult, countUses, type Limits } from './limits.ts'
import { isUniqueViolation } from './outage.ts'

export interface NewState {
  readonly id: string
  /** Purpose and digest of the state. */
  readonly identifier: string
  /** Encrypted. */
  readonly value: string
  /** The user who began it; the state is deleted with them. Null when nobody is signed in yet. */
  readonly userId: string | null
  /** Lifetime in seconds. */
  readonly seconds: number
}

/** Counts the request, and stores the state if the limits allow. */
export const storeState = (sql: Sql, state: NewState, limits: Limits) =>
  getRow<CountResult>(
    sql,
    state.identifier,
    sql`select refused_for from counted`,
    sql`
      ${countUses(sql, limits)},
      stored as (
        insert into verifications (id, user_id, identifier, value, expires_at)
        select ${state.id}, ${state.userId}, ${state.identifier}, ${state.value},
          now() + make_interval(secs => ${state.seconds})
        from counted where refused_for is null
      )
    `,
  )

/**
 * Consumes a state: of many concurrent callbacks exactly one gets its value. Null when it is unknown, used or expired.
 */
export async function consumeState(sql: Sql, identifier: string): Promise<string | null> {
  const found = sql`select value from taken`
  const steps = sql`
    taken as (delete from verifications where identifier = ${identifier} and expires_at > now() returning value)
  `
  return (await findRow<{ value: string }>(sql, identifier, found, steps))?.value ?? null
}

/** Counts one use of each limit. */
export const countUsesOnly = (sql: Sql, id: string, limits: Limits) =>
  getRow<CountResult>(sql, id, sql`select refused_for from counted`, countUses(sql, limits))

/** Counts one use of each limit, and finds out whether a single-use secret was used already. */
export const countUseOfSecret = (sql: Sql, identifier: string, limits: Limits) =>
  getRow<CountResult & { isUsed: boolean }>(
    sql,
    identifier,
    sql`
      select refused_for, exists (select from verifications where identifier = ${identifier}) as is_used from counted
    `,
    countUses(sql, limits),
  )

/** A single-use secret, and the seconds for which its use is remembered. */
export type SingleUse = Pick<NewState, 'id' | 'identifier' | 'seconds'>

/**
 * Records a use together with its effect, if `when` yields a row. A fragment for a larger statement, which fails as a
 * whole when the secret was used before (see `isAlreadyUsedError`).
 */
export const insertSingleUse = (sql: Sql, { id, identifier, seconds }: SingleUse, when: postgres.Fragment) => sql`
  insert into verifications (id, identifier, value, expires_at)
  select ${id}, ${identifier}, '', now() + make_interval(secs => ${seconds})
  where exists (${when})
`

/** Returns whether a statement failed because its single-use secret was used before. */
export const isAlreadyUsedError = (error: unknown): boolean => isUniqueViolation(error, 'verifications_identifier_key')

/** Records a use for as long as the secret stays valid. False when it was recorded before. */
export async function recordSingleUse(sql: Sql, { id, identifier, seconds }: SingleUse): Promise<boolean> {
  const steps = sql`
    noted as (
      insert into verifications (id, identifier, value, expires_at)
      values (${id}, ${identifier}, '', now() + make_interval(secs => ${seconds}))
      on conflict (identifier) do nothing
      returning id
    )
  `
  return (await findRow(sql, identifier, sql`select id from noted`, steps)) !== null
}
