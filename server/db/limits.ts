import type postgres from 'postgres'
import { afterStep, getRow } from './checked-row.ts'
import type { Sql } from './connect.ts'
import { deleteExpiredRows } from './expired-rows.ts'

/** One counter: a key may be used at most `max` times in a window of `seconds`. */
export interface Limit {
  /** The limit's name in the settings. */
  readonly name: string
  /** HMAC of scope and subject. */
  readonly key: Buffer
  readonly max: number
  readonly seconds: number
  /** Whether a statement can waive this limit (see `yieldsIf`). */
  readonly mayYield?: boolean
  /** Whether the settings turn limits off, so that nothing is counted. */
  readonly isOff?: boolean
}

/** The counters of a call that stores a row on request: at least one. */
export type Limits = readonly [Limit, ...Limit[]]

/** `refusedFor`: seconds until the refusing counter's window ends. Null when none refused. */
export interface CountResult {
  readonly refusedFor: number | null
}

/**
 * Options for another chain in the same statement: the prefix of its names, and rows without which nothing is counted.
 */
export interface CountOptions {
  readonly prefix: string
  readonly when: Fragment
  /** The condition that waives the limits marked `mayYield`. */
  readonly yieldsIf?: Fragment | undefined
}

/** The counters to settle after a proven secret: those to clear, and one from which this attempt is refunded. */
export interface CountersToSettle {
  readonly cleared: readonly Buffer[]
  readonly returned: Buffer | null
}

/**
 * Returns common table expressions that count one use of each limit, in order. `counted` then holds one row, in which
 * `refused_by` names the limit. A counter moves only when all before it allowed the request, so a refused flood cannot
 * use up somebody's account. Each is one atomic upsert: parallel requests wait for the row and see each other's counts.
 * The order is always the same, so they cannot deadlock. A chain whose `when` yields no rows has no row in `counted`.
 */
export function countUses(sql: Sql, given: readonly Limit[], chain?: CountOptions): Fragment {
  const limits = given.filter(({ isOff }) => !isOff)
  const prefix = chain?.prefix ?? ''
  const start = chain ? sql`from (${chain.when}) as w limit 1` : sql``
  const uses = limits.map((limit, index) => {
    const from = index === 0 ? start : sql`from ${sql(`${prefix}use_${index - 1}`)} as before where before.is_allowed`
    return sql`${sql(`${prefix}use_${index}`)} as (${useOf(sql, limit, from, chain?.yieldsIf)}),`
  })
  const verdicts = limits.map((_limit, index) => verdictOf(sql, `${prefix}use_${index}`))
  const names = limits.map(({ name }, index) => nameOf(sql, `${prefix}use_${index}`, name))
  return sql`
    ${join(sql, uses)}
    ${sql(`${prefix}counted`)} as (
      select coalesce(${join(sql, verdicts)} null)::integer as refused_for,
        coalesce(${join(sql, names)} null)::text as refused_by ${start}
    )
  `
}

/** Counts one use of a limit that refuses nobody. Returns how many uses its window holds. */
export const countEvent = (sql: Sql, limit: Limit) =>
  getRow<{ count: number }>(
    sql,
    limit.key,
    sql`select count from counted`,
    sql`counted as (${useOf(sql, limit, sql``)})`,
  )

/**
 * Whether the window of a counter is over. One that ends later than a new one would was begun before the clock of the
 * database was set back, and would refuse until that has caught up. The minute is for uses that began in another order.
 */
const isOver = (sql: Sql) => sql`(l.expires_at <= now() or l.expires_at > excluded.expires_at + interval '1 minute')`

const useOf = (sql: Sql, { key, max, seconds, mayYield }: Limit, from: Fragment, yieldsIf?: Fragment) => sql`
  insert into rate_limits as l (key, count, expires_at)
  select ${key}, 1, now() + make_interval(secs => ${seconds})
  ${from}
  on conflict (key) do update set
    count = case when ${isOver(sql)} then 1 else l.count + 1 end,
    expires_at = case when ${isOver(sql)} then excluded.expires_at else l.expires_at end
  returning count, expires_at, count <= ${max} ${mayYield && yieldsIf ? sql`or (${yieldsIf})` : sql``} as is_allowed
`

const verdictOf = (sql: Sql, use: string) => sql`
  (select greatest(1, ceil(extract(epoch from expires_at - now())))::integer from ${sql(use)} where not is_allowed),
`

const nameOf = (sql: Sql, use: string, name: string) => sql`
  (select ${name}::text from ${sql(use)} where not is_allowed),
`

type Fragment = postgres.PendingQuery<postgres.Row[]>
const join = (sql: Sql, fragments: readonly Fragment[]): Fragment =>
  fragments.reduce((before, next) => sql`${before} ${next}`, sql``)

/**
 * Clears up to two counters after the secret that they protect was proven. Locks them in the order in which they are
 * counted, and after everything that `first` locks.
 */
export const clearCounters = (sql: Sql, keys: readonly Buffer[], first = sql`true`) => sql`
  delete from rate_limits
  where key in (
    select key from rate_limits where key = any(${keys as Buffer[]}::bytea[]) and ${first} order by key <> ${keys[0] ?? null} for update
  )
`

/**
 * Common table expressions that settle counters only if `proven` yields a row. The refunded counter is counted before
 * the cleared ones, so it is locked before them too.
 */
export const settleCounters = (sql: Sql, { cleared, returned }: CountersToSettle, proven: Fragment): Fragment => sql`
  ${returned === null ? sql`` : sql`returned as (${refundCounter(sql, returned)} and exists (${proven}) returning key),`}
  ${cleared.length === 0 ? sql`` : sql`cleared as (${clearCounters(sql, cleared, isSettled(sql, returned))} and exists (${proven})),`}
`

const refundCounter = (sql: Sql, key: Buffer) => sql`
  update rate_limits set count = count - 1 where key = ${key} and count > 0
`

const isSettled = (sql: Sql, returned: Buffer | null): Fragment =>
  returned === null ? sql`true` : afterStep(sql, 'returned')

/**
 * Refunds one use of each counter that an attempt moved, since nothing was checked. Locks them in the order in which
 * they are counted.
 */
export const refundUses = (sql: Sql, { cleared, returned }: CountersToSettle) => sql`
  update rate_limits set count = count - 1
  where count > 0 and key in (
    select key from rate_limits
    where key = any(${[...(returned ? [returned] : []), ...cleared]}::bytea[])
    order by key is distinct from ${returned}, key <> ${cleared[0] ?? null}
    for update
  )
`

/** Deletes counters whose window has ended. */
export const deleteExpiredLimits = (sql: Sql, batch: number) =>
  deleteExpiredRows(sql, { table: 'rate_limits', key: 'key' }, batch)
