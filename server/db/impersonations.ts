import type { Session } from '../../shared/entities.ts'
import type { Admitted } from '../request/admission.ts'
import { computed, fieldsOf } from './columns.ts'
import type { Sql } from './connect.ts'
import { findOwn } from './own-row.ts'
import { insertSession } from './session-start.ts'
import { SessionColumns, type StoredSession } from './sessions.ts'

export interface Impersonation {
  readonly admitted: Admitted
  /** As whom. */
  readonly userId: string
  /** In which session this is done: it ends with that one, and never later. */
  readonly admin: Pick<Session, 'id' | 'userId'>
}

/** A session that acts as somebody else: never extended, and nobody has proven anything in it. Null when the admin's ended. */
export function insertImpersonation(
  tx: Sql,
  { admitted, userId, admin }: Impersonation,
): Promise<StoredSession | null> {
  const { tokenHash, lifetime } = admitted.session
  const actors = tx`
    select ${userId}::text as id, null::text as account_id, (
      select u.email from users u join accounts a on a.user_id = u.id and a.proven_email = u.email where u.id = ${userId} limit 1
    ) as proven_email, s.id as admin_session_id, s.user_id as admin_id, s.expires_at, s.label
    from sessions s where s.id = ${admin.id} and s.user_id = ${admin.userId} and s.expires_at > now()
  `
  const started = insertSession(tx, admitted, actors, {
    expiresAt: tx`least(now() + make_interval(secs => ${lifetime}), of_user.expires_at)`,
    label: tx`of_user.label`,
    authenticatedAt: tx`to_timestamp(0)`,
    impersonatedBy: tx`of_user.admin_id`,
    impersonatorSessionId: tx`of_user.admin_session_id`,
  })
  const proven = computed<{ addressProven: boolean }>(tx, { addressProven: tx`proven_email is not null` })
  const found = tx`select ${fieldsOf(tx, SessionColumns)}, ${proven} from started`
  return findOwn(tx, tokenHash, found, tx`started as (${started})`)
}

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
