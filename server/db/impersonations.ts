import type { Session } from '../../shared/entities.ts'
import { byDatabase, columnsOf, computed, fieldsOf, newRow } from './columns.ts'
import type { Sql } from './connect.ts'
import { findOwn } from './own-row.ts'
import { type NewSession, SessionColumns, type StoredSession, startOf } from './sessions.ts'

export interface Impersonation {
  readonly session: NewSession
  /** As whom. */
  readonly userId: string
  /** In which session this is done: it ends with that one, and never later. */
  readonly admin: Pick<Session, 'id' | 'userId'>
}

/** A session that acts as somebody else: never extended, and nobody has proven anything in it. Null when the admin's ended. */
export function insertImpersonation(tx: Sql, { session, userId, admin }: Impersonation): Promise<StoredSession | null> {
  const started = startOf(tx, session)
  return findOwn(
    tx,
    session.tokenHash,
    tx`select ${fieldsOf(tx, SessionColumns)}, ${computed<{ addressProven: boolean }>(tx, { addressProven: tx`proven_email is not null` })} from started`,
    tx`
      started as (
        insert into sessions ${newRow(
          tx,
          SessionColumns,
          {
            ...started,
            userId,
            expiresAt: tx`least(${started.expiresAt}, s.expires_at)`,
            label: tx`s.label`,
            activeOrganizationId: byDatabase,
            impersonatedBy: tx`s.user_id`,
          },
          {
            tokenHash: session.tokenHash,
            remembered: false,
            authenticatedAt: tx`to_timestamp(0)`,
            impersonatorSessionId: tx`s.id`,
            provenEmail: tx`(${provenEmailOf(tx, userId)})`,
            secretLabel: session.secretLabel,
          },
        )}
        from sessions s where s.id = ${admin.id} and s.user_id = ${admin.userId} and s.expires_at > now()
        returning ${columnsOf(tx, SessionColumns)}, proven_email
      )
    `,
  )
}

/** The user's address, where one of their ways in proved its mailbox. */
const provenEmailOf = (tx: Sql, userId: string) => tx`
  select u.email from users u join accounts a on a.user_id = u.id and a.proven_email = u.email where u.id = ${userId} limit 1
`

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
