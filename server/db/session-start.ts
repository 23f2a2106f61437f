import type postgres from 'postgres'
import type { AdmittedSession } from '../request/admission.ts'
import { columnsOf, databaseDefault, newRow } from './columns.ts'
import type { Sql } from './connect.ts'
import { SessionColumns } from './sessions.ts'

// The only place that inserts sessions. Everything here is a fragment for a larger statement, which locks the user's
// row.

/** Whether the user `u` is banned now. */
export const isBannedNow = (sql: Sql) =>
  sql`coalesce(u.banned and (u.ban_expires is null or u.ban_expires > now()), false)`

/** Whether the gate lets the user `u` in. */
export const isAdmissible = (sql: Sql, { needsVerifiedAddress }: AdmittedSession) =>
  needsVerifiedAddress ? sql`(not ${isBannedNow(sql)} and u.email_verified)` : sql`(not ${isBannedNow(sql)})`

/**
 * Those of `users` whom the gate lets in: rows with the user's `id`, the `account_id` of the sign-in method, and the
 * `proven_email` whose mailbox its holder proved. A user created by the same statement has no row to check yet.
 */
export const admittedUsers = (sql: Sql, admitted: AdmittedSession, users: postgres.Fragment) => sql`
  (
    select entrant.* from (${users}) as entrant
    where entrant.id = ${admitted.userId === null ? sql`entrant.id` : sql`${admitted.userId}`}
      and not exists (select from users u where u.id = entrant.id and not ${isAdmissible(sql, admitted)})
  )
`

/** Columns of a session that starts in a special way, as expressions over the rows of `users`, named `of_user`. */
interface SpecialSessionColumns {
  readonly expiresAt?: postgres.Fragment
  /** The label of the device that asked for the session, when another one starts it. */
  readonly label?: postgres.Fragment
  /** When the person proved who they are. */
  readonly authenticatedAt?: postgres.Fragment
  readonly activeOrganizationId?: postgres.Fragment
  readonly impersonatedBy?: postgres.Fragment
  readonly impersonatorSessionId?: postgres.Fragment
  readonly trustId?: postgres.Fragment
}

/** Inserts a session for each of the users whom the gate lets in. */
export const insertSession = (
  sql: Sql,
  admitted: AdmittedSession,
  users: postgres.Fragment,
  own: SpecialSessionColumns = {},
) => {
  const { session } = admitted
  return sql`
    insert into sessions ${newRow(
      sql,
      SessionColumns,
      {
        id: session.id,
        userId: sql`of_user.id`,
        expiresAt: own.expiresAt ?? sql`now() + make_interval(secs => ${session.lifetime})`,
        createdAt: databaseDefault,
        updatedAt: databaseDefault,
        ipAddress: session.ipAddress,
        userAgent: session.userAgent,
        label: own.label ?? session.label,
        activeOrganizationId: own.activeOrganizationId ?? databaseDefault,
        activeTeamId: databaseDefault,
        impersonatedBy: own.impersonatedBy ?? databaseDefault,
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
    from ${admittedUsers(sql, admitted, users)} as of_user
    returning ${columnsOf(sql, SessionColumns)}, proven_email
  `
}

/**
 * The steps that start a session for one user. `started` holds its row. `ended` holds the ids of ended sessions: the
 * client's previous one, and the oldest over the limit.
 */
export const startSession = (
  sql: Sql,
  admitted: AdmittedSession,
  users: postgres.Fragment,
  own?: SpecialSessionColumns,
) => sql`
  started as (${insertSession(sql, admitted, users, own)}),
  replaced as (
    delete from sessions
    where ${isReplaced(sql, admitted.session)} and exists (select from started) returning id
  ),
  over_limit as (${endOverLimit(sql, admitted)}),
  ended as (select id from replaced union select id from over_limit)
`

/** Usually there is one session at most, which keeps the statement as it is. */
const isReplaced = (sql: Sql, { replaces, renews }: AdmittedSession['session']) =>
  renews.length === 0
    ? sql`token_hash = ${replaces}`
    : sql`(token_hash = ${replaces} or (
        token_hash = any(select decode(hash, 'hex') from unnest(${renews.map((hash) => hash.toString('hex'))}::text[]) hash)
        and user_id = (select user_id from started)
      ))`

/**
 * Only what the user still holds counts: not what is replaced, is over, or is an administrator's. Skips rows that another
 * transaction is ending, since the two could wait for each other.
 */
const endOverLimit = (sql: Sql, { limit }: AdmittedSession) => sql`
  delete from sessions
  where id in (
    select id from sessions
    where id in (
        select id from sessions
        where user_id = (select user_id from started) and expires_at > now() and impersonated_by is null
          and id <> all(array(select id from replaced))
        order by created_at desc, id desc
        offset ${limit - 1}
      )
    for update skip locked
  )
  returning id
`

/** The same steps without a session. */
export const noSessionSteps = (sql: Sql) =>
  sql`started as (select where false), ended as (select null as id where false)`
