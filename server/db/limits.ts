import type postgres from 'postgres'
import type { Sql } from './connect.ts'
import { getOwn, isDone } from './own-row.ts'

/** One counter: at most `max` in a window of `seconds` for a key. */
export interface Limit {
  /** As the settings call it. */
  readonly name: string
  /** HMAC of scope and subject. */
  readonly key: Buffer
  readonly max: number
  readonly seconds: number
  /** Whether it gives way where a statement has a reason. */
  readonly mayYield?: boolean
  /** Whether the settings turn limits off: it is not counted then. */
  readonly isOff?: boolean
}

/** The counters of a call that stores a row at its caller's wish: at least one. */
export type Limits = readonly [Limit, ...Limit[]]

/** Whether a counter refused: then the seconds until its window ends. */
export interface CountResult {
  readonly refusedFor: number | null
}

/** A second chain in one statement: what its names begin with, and rows without which nothing is counted. */
export interface CountOptions {
  readonly prefix: string
  readonly when: Fragment
  /** A condition under which those limits that may yield do. */
  readonly yieldsIf?: Fragment | undefined
}

/** The counters that a proven secret settles: those that it clears, and one that takes back what this try counted. */
export interface CountersToSettle {
  readonly cleared: readonly Buffer[]
  readonly returned: Buffer | null
}

/**
 * The common table expressions that count one use of each limit, in order; `counted` then holds one row. A later counter
 * is only moved when all before it let the request through, so a refused flood cannot use up somebody's account. Each is
 * one atomic upsert: parallel requests wait for the row and see each other's counts. Always in the same order, so they
 * cannot deadlock. A chain without rows to begin with leaves its `counted` without a row. `refused_by` names the limit.
 */
export function countUse(sql: Sql, given: readonly Limit[], chain?: CountOptions): Fragment {
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

/** Counts one use of a limit that refuses nobody; answers how many there were in its window. */
export const countEvent = (sql: Sql, limit: Limit) =>
  getOwn<{ count: number }>(
    sql,
    limit.key,
    sql`select count from counted`,
    sql`counted as (${useOf(sql, limit, sql``)})`,
  )

const useOf = (sql: Sql, { key, max, seconds, mayYield }: Limit, from: Fragment, yieldsIf?: Fragment) => sql`
  insert into rate_limits as l (key, count, expires_at)
  select ${key}, 1, now() + make_interval(secs => ${seconds})
  ${from}
  on conflict (key) do update set
    count = case when l.expires_at <= now() then 1 else l.count + 1 end,
    expires_at = case when l.expires_at <= now() then excluded.expires_at else l.expires_at end
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
 * Forgets up to two counters, after the secret that they guard was proven; locks them in the order that counts them, and
 * after all that `first` locks.
 */
export const clearUse = (sql: Sql, keys: readonly Buffer[], first = sql`true`) => sql`
  delete from rate_limits
  where key in (
    select key from rate_limits where key in ${sql(keys)} and ${first} order by key <> ${keys[0] ?? null} for update
  )
`

/**
 * Settles counters in common table expressions, only if `proven` yields a row. The counter that takes back a try stands
 * before the cleared ones where tries are counted, so it is locked before them.
 */
export const settleWhen = (sql: Sql, { cleared, returned }: CountersToSettle, proven: Fragment): Fragment => sql`
  ${returned === null ? sql`` : sql`returned as (${takeBack(sql, returned)} and exists (${proven}) returning key),`}
  ${cleared.length === 0 ? sql`` : sql`cleared as (${clearUse(sql, cleared, isSettled(sql, returned))} and exists (${proven})),`}
`

const takeBack = (sql: Sql, key: Buffer) => sql`
  update rate_limits set count = count - 1 where key = ${key} and count > 0 and expires_at > now()
`

const isSettled = (sql: Sql, returned: Buffer | null): Fragment =>
  returned === null ? sql`true` : isDone(sql, 'returned')

/** Takes back one use of each counter that a guess moved, since nothing was checked; locks them in the order that counts them. */
export const takeBackUse = (sql: Sql, { cleared, returned }: CountersToSettle) => sql`
  update rate_limits set count = count - 1
  where count > 0 and expires_at > now() and key in (
    select key from rate_limits
    where key in ${sql([...(returned ? [returned] : []), ...cleared])}
    order by key is distinct from ${returned}, key <> ${cleared[0] ?? null}
    for update
  )
`

/** Sweeps counters whose window has ended, a bounded batch at a time; several processes never wait for each other. */
export const deleteExpiredLimits = (sql: Sql, batch: number) => sql`
  delete from rate_limits
  where key = any(array(
    select key from rate_limits
    where expires_at <= now()
    order by expires_at
    limit ${batch}
    for update skip locked
  ))
`
