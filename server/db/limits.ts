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

/**
 * The common table expressions that count one use of each limit, in order; `counted` then holds one row. A later counter
 * is only moved when all before it let the request through, so a refused flood cannot use up somebody's account. Each is
 * one atomic upsert: parallel requests wait for the row and see each other's counts. Always in the same order, so they
 * cannot deadlock.
 */
export function countUse(sql: Sql, limits: readonly Limit[]): postgres.PendingQuery<postgres.Row[]> {
  if (limits.length === 0) return sql`counted as (select null::integer as refused_for)`
  const uses = limits.map((limit, index) => sql`${useOf(sql, limit, index)},`)
  const verdicts = limits.map((_limit, index) => verdictOf(sql, index))
  return sql`${join(sql, uses)} counted as (select coalesce(${join(sql, verdicts)} null) as refused_for)`
}

const useOf = (sql: Sql, { key, max, seconds }: Limit, index: number) => sql`
  ${sql(`use_${index}`)} as (
    insert into rate_limits as l (key, count, expires_at)
    select ${key}, 1, now() + make_interval(secs => ${seconds})
    ${index === 0 ? sql`` : sql`from ${sql(`use_${index - 1}`)} as before where before.is_allowed`}
    on conflict (key) do update set
      count = case when l.expires_at <= now() then 1 else l.count + 1 end,
      expires_at = case when l.expires_at <= now() then excluded.expires_at else l.expires_at end
    returning count, expires_at, count <= ${max} as is_allowed
  )
`

const verdictOf = (sql: Sql, index: number) => sql`
  (select greatest(1, ceil(extract(epoch from expires_at - now())))::integer
   from ${sql(`use_${index}`)} where not is_allowed),
`

type Fragment = postgres.PendingQuery<postgres.Row[]>
const join = (sql: Sql, fragments: readonly Fragment[]): Fragment =>
  fragments.reduce((before, next) => sql`${before} ${next}`)

/** Forgets counters, after the secret that they guard was proven. */
export const clearUse = (sql: Sql, keys: readonly Buffer[]) => sql`delete from rate_limits where key in ${sql(keys)}`

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
