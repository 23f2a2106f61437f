import type postgres from 'postgres'
import type { Sql } from './connect.ts'

/** One counter: at most `max` in a window of `seconds` for a key. */
export interface Limit {
  /** HMAC of scope and subject. */
  readonly key: Buffer
  readonly max: number
  readonly seconds: number
}

/** Set when a counter refused: seconds until its window ends. */
export interface Counted {
  readonly refusedFor: number | null
}

/** A second chain in one statement: what its names begin with, and rows without which it is not begun. */
interface Chain {
  readonly prefix: string
  readonly when: Fragment
}

/**
 * The common table expressions that count one use of each limit, in order; `counted` then holds one row. A later counter
 * is only moved when all before it let the request through, so a refused flood cannot use up somebody's account. Each is
 * one atomic upsert: parallel requests wait for the row and see each other's counts. Always in the same order, so they
 * cannot deadlock. A chain that was not begun leaves its `counted` without a row.
 */
export function countUse(sql: Sql, limits: readonly Limit[], chain?: Chain): Fragment {
  const prefix = chain?.prefix ?? ''
  const begun = chain ? sql`from (${chain.when}) as w limit 1` : sql``
  const uses = limits.map((limit, index) => {
    const from = index === 0 ? begun : sql`from ${sql(`${prefix}use_${index - 1}`)} as before where before.is_allowed`
    return sql`${sql(`${prefix}use_${index}`)} as (${useOf(sql, limit, from)}),`
  })
  const verdicts = limits.map((_limit, index) => verdictOf(sql, `${prefix}use_${index}`))
  return sql`
    ${join(sql, uses)}
    ${sql(`${prefix}counted`)} as (select coalesce(${join(sql, verdicts)} null)::integer as refused_for ${begun})
  `
}

const useOf = (sql: Sql, { key, max, seconds }: Limit, from: Fragment) => sql`
  insert into rate_limits as l (key, count, expires_at)
  select ${key}, 1, now() + make_interval(secs => ${seconds})
  ${from}
  on conflict (key) do update set
    count = case when l.expires_at <= now() then 1 else l.count + 1 end,
    expires_at = case when l.expires_at <= now() then excluded.expires_at else l.expires_at end
  returning count, expires_at, count <= ${max} as is_allowed
`

const verdictOf = (sql: Sql, use: string) => sql`
  (select greatest(1, ceil(extract(epoch from expires_at - now())))::integer from ${sql(use)} where not is_allowed),
`

type Fragment = postgres.PendingQuery<postgres.Row[]>
const join = (sql: Sql, fragments: readonly Fragment[]): Fragment =>
  fragments.reduce((before, next) => sql`${before} ${next}`, sql``)

/** Forgets up to two counters, after the secret that they guard was proven; locks them in the order that counts them. */
export const clearUse = (sql: Sql, keys: readonly Buffer[]) => sql`
  delete from rate_limits
  where key in (select key from rate_limits where key in ${sql(keys)} order by key <> ${keys[0] ?? null} for update)
`

/** The same as a common table expression `cleared`, only if `proven` yields a row. */
export const clearWhen = (sql: Sql, keys: readonly Buffer[], proven: Fragment): Fragment =>
  keys.length === 0 ? sql`` : sql`cleared as (${clearUse(sql, keys)} and exists (${proven})),`

/** Sweeps counters whose window has ended, a bounded batch at a time; several processes never wait for each other. */
export const deleteExpiredLimits = (sql: Sql, batch: number) => sql`
  delete from rate_limits
  where key in (
    select key from rate_limits
    where expires_at <= now()
    order by expires_at
    limit ${batch}
    for update skip locked
  )
`
