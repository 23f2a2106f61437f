import type postgres from 'postgres'
import type { Sql } from './connect.ts'

/**
 * Locks the user whom `owner` yields by its `id`, then their accounts, and the user also where there is none: whoever
 * stores one, or a session, holds the user.
 */
export const lockWaysIn = (tx: Sql, owner: postgres.Fragment) => tx`
  with held as (
    select u.id from users u where u.id = (${owner}) for no key update
  ), ways as (
    select a.id from held h join accounts a on a.user_id = h.id for no key update of a
  )
  select (select count(*) from held) as held, (select count(*) from ways) as ways
`
