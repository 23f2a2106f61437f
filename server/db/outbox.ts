import type { StoredMail } from '../mail/compose.ts'
import type { Sql } from './connect.ts'

export interface WaitingMail extends StoredMail {
  readonly createdAt: Date
  readonly attempts: number
  readonly parkedAt: Date | null
}

/** All that the outbox holds, oldest first. */
export const listMails = (sql: Sql) => sql<WaitingMail[]>`
  select o.id, o.payload, o.user_id, u.name, o.link_seconds, o.created_at, o.attempts, o.parked_at
  from outbox o
  left join users u on u.id = o.user_id
  order by o.created_at, o.id
`
