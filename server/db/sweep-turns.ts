import { one } from './checked-row.ts'
import type { Sql } from './connect.ts'

/** Seconds after which a turn that nobody passed on is given up: more than a round of statements may take. */
const longestTurn = 120
/**
 * Seconds until a turn at most: more than any turn or rest. Whoever sees a later one sees a clock that was set back, and
 * would wait until it has caught up.
 */
const latestTurn = 3600

/** Takes the turn to sweep, of which there is one for all processes. Returns 0, or the milliseconds until it is due. */
export async function claimSweepTurn(sql: Sql): Promise<number> {
  const { wait } = await one(sql<{ wait: number }[]>`
    with claimed as (
      insert into sweep_turns as t (id, due_at)
      values ('sweep', clock_timestamp() + make_interval(secs => ${longestTurn}))
      on conflict (id) do update set due_at = excluded.due_at
      where t.due_at <= clock_timestamp() or t.due_at > clock_timestamp() + make_interval(secs => ${latestTurn})
      returning t.id
    )
    select case when exists (select from claimed) then 0 else greatest(10, coalesce(
      (select extract(epoch from t.due_at - clock_timestamp()) * 1000 from sweep_turns t where t.id = 'sweep'), 0
    )) end::float8 as wait
  `)
  return wait
}

/** Ends a turn: the next one is due after a rest of so many milliseconds. */
export const passSweepTurn = (sql: Sql, rest: number) => sql`
  update sweep_turns set due_at = clock_timestamp() + make_interval(secs => ${rest / 1000}) where id = 'sweep'
`
