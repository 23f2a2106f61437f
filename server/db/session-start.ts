import type postgres from 'postgres'
import type { Admitted } from '../request/admission.ts'
import { byDatabase, columnsOf, newRow } from './columns.ts'
import type { Sql } from './connect.ts'
import { isDone } from './own-row.ts'
import { SessionColumns } from './sessions.ts'

// Nothing else inserts a session. All of it is to be put into a larger statement, which locks the user's row.

/** Whether a ban of the user `u` holds. */
export const banHolds = (sql: Sql) =>
  sql`coalesce(u.banned and (u.ban_expires is null or u.ban_expires > now()), false)`

/** Whether the gate lets the user `u` in. */
export const mayEnter = (sql: Sql, { needsVerifiedAddress }: Admitted) =>
  needsVerifiedAddress ? sql`(not ${banHolds(sql)} and u.email_verified)` : sql`(not ${banHolds(sql)})`

/**
 * Those of `users` whom the gate lets in: rows with the user's `id`, the `account_id` of the way in, and the `proven_email`
 * whose mailbox its holder proved. A user whom this very statement makes has no row to look at yet.
 */
export const admittedOf = (sql: Sql, admitted: Admitted, users: postgres.Fragment) => sql`
  (
    select entrant.* from (${users}) as entrant
    where entrant.id = ${admitted.userId === null ? sql`entrant.id` : sql`${admitted.userId}`}
      and not exists (select from users u where u.id = entrant.id and not ${mayEnter(sql, admitted)})
  )
`

/** Columns of a session that begins in a way of its own; of the rows of `users`, called `of_user`. */
interface OwnColumns {
  readonly expiresAt?: postgres.Fragment
  /** Of the machine that asked for the session, where another one begins it. */
  readonly label?: postgres.Fragment
  /** When its person proved who they are. */
  readonly authenticatedAt?: postgres.Fragment
  readonly activeOrganizationId?: postgres.Fragment
  readonly impersonatedBy?: postgres.Fragment
  readonly impersonatorSessionId?: postgres.Fragment
  readonly trustId?: postgres.Fragment
}

/** A new session for each of the users whom the gate lets in. */
export const insertSession = (sql: Sql, admitted: Admitted, users: postgres.Fragment, own: OwnColumns = {}) => {
  const { session } = admitted
  return sql`
    insert into sessions ${newRow(
      sql,
      SessionColumns,
      {
        id: session.id,
        userId: sql`of_user.id`,
        expiresAt: own.expiresAt ?? sql`now() + make_interval(secs => ${session.lifetime})`,
        createdAt: byDatabase,
        updatedAt: byDatabase,
        ipAddress: session.ipAddress,
        userAgent: session.userAgent,
        label: own.label ?? session.label,
        activeOrganizationId: own.activeOrganizationId ?? byDatabase,
        impersonatedBy: own.impersonatedBy ?? byDatabase,
      },
      {
        tokenHash: session.tokenHash,
        remembered: session.remembered,
        authenticatedAt: own.authenticatedAt ?? sql`now()`,
        accountId: sql`of_user.account_id`,
        provenEmail: sql`of_user.proven_email`,
        secretLabel: session.secretLabel,
        impersonatorSessionId: own.impersonatorSessionId ?? sql`null`,
        trustId: own.trustId ?? sql`null`,
      },
    )}
    from ${admittedOf(sql, admitted, users)} as of_user
    returning ${columnsOf(sql, SessionColumns)}, proven_email
  `
}

/**
 * The steps that begin a session for one user: `started` has its row, `ended` the ids of those that it ended, which are the
 * one that its client had before and the oldest ones over the limit.
 */
export const startSession = (sql: Sql, admitted: Admitted, users: postgres.Fragment, own?: OwnColumns) => sql`
  started as (${insertSession(sql, admitted, users, own)}),
  replaced as (
    delete from sessions where token_hash = ${admitted.session.replaces} and exists (select from started) returning id
  ),
  over_limit as (${endOverLimit(sql, admitted)}),
  ended as (select id from replaced union select id from over_limit)
`

/** It waits for no row that another one ends: each could hold what the other waits for. */
const endOverLimit = (sql: Sql, { limit }: Admitted) => sql`
  delete from sessions
  where id in (
    select id from sessions
    where id in (
        select id from sessions
        where user_id = (select user_id from started)
        order by created_at desc, id desc
        offset ${limit - 1}
      )
      and ${isDone(sql, 'replaced')}
    for update skip locked
  )
  returning id
`

/** The same steps where no session begins. */
export const startNothing = (sql: Sql) => sql`started as (select where false), ended as (select null as id where false)`
