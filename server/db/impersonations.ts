import type { Session } from '../../shared/entities.ts'
import { columnsOf, computed, fieldsOf } from './columns.ts'
import type { Sql } from './connect.ts'
import { findOwn } from './own-row.ts'
import { type NewSession, SessionColumns, type StoredSession } from './sessions.ts'

export interface Impersonation {
  readonly session: NewSession
  /** As whom. */
  readonly userId: string
  /** In which session this is done: it ends with that one, and never later. */
  readonly admin: Pick<Session, 'id' | 'userId'>
}

/** A session that acts as somebody else: never extended, and nobody has proven anything in it. Null when the admin's ended. */
export const insertImpersonation = (
  tx: Sql,
  { session, userId, admin }: Impersonation,
): Promise<StoredSession | null> =>
  findOwn(
    tx,
    session.tokenHash,
    tx`select ${fieldsOf(tx, SessionColumns)}, ${computed<{ addressProven: boolean }>(tx, { addressProven: tx`proven_email is not null` })} from started`,
    tx`
      started as (
        insert into sessions (
          id, user_id, token_hash, remembered, expires_at, ip_address, user_agent, label, authenticated_at, impersonated_by,
          impersonator_session_id, proven_email, secret_label
        )
        select ${session.id}, ${userId}, ${session.tokenHash}, false,
          least(now() + make_interval(secs => ${session.lifetime}), s.expires_at), ${session.ipAddress},
          ${session.userAgent}, s.label, to_timestamp(0), s.user_id, s.id,
          (select u.email from users u join accounts a on a.user_id = u.id and a.proven_email = u.email where u.id = ${userId} limit 1),
          ${session.secretLabel}
        from sessions s where s.id = ${admin.id} and s.user_id = ${admin.userId} and s.expires_at > now()
        returning ${columnsOf(tx, SessionColumns)}, proven_email
      )
    `,
  )

/** Ends an impersonation; answers the session that it was begun in, or null when it ended before. */
export const deleteImpersonation = (tx: Sql, id: string) =>
  findOwn<{ adminSessionId: string | null }>(
    tx,
    id,
    tx`select impersonator_session_id as admin_session_id from gone`,
    tx`gone as (
      delete from sessions where id = ${id} and impersonated_by is not null returning impersonator_session_id
    )`,
  )
