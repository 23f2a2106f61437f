import { FullUser } from '../../shared/entities.ts'
import { findRow } from './checked-row.ts'
import { columnsOf, computedColumns } from './columns.ts'
import type { Sql } from './connect.ts'

/** The row of an opened mailed link. Its user must still have the address. */
export interface VerificationLink {
  readonly userId: string
  readonly email: string
  readonly identifier: string
}

/** What the owner of a mailbox sees of a sign-up with their address. */
export interface SignUp {
  readonly user: FullUser
  /** From where and with which browser. Null when the trail no longer holds the sign-up. */
  readonly ipAddress: string | null
  readonly userAgent: string | null
  /** Provider ids of its sign-in methods; `credential` is a password. */
  readonly ways: readonly string[]
  /** Whether the account `wayIn` is one of them. */
  readonly isHolder: boolean
  /** Whether it is more than a sign-up: an account has proved a mailbox already, or the address was changed. */
  readonly isEstablished: boolean
}

/** Finds the sign-up behind a mailed link that still works. Null for any other. */
export async function findSignUp(sql: Sql, link: VerificationLink, wayIn: string | null): Promise<SignUp | null> {
  const origin = (column: 'ip_address' | 'user_agent') => sql`(
    select e.${sql(column)} from audit_events e
    where e.user_id = u.id and e.event = 'sign-up-done' order by e.created_at limit 1
  )`
  const facts = computedColumns<Omit<SignUp, 'user'>>(sql, {
    ipAddress: origin('ip_address'),
    userAgent: origin('user_agent'),
    ways: sql`array(select a.provider_id from accounts a where a.user_id = u.id order by a.provider_id)`,
    isHolder: sql`exists (select from accounts a where a.user_id = u.id and a.id = ${wayIn})`,
    isEstablished: sql`(
      exists (select from accounts a where a.user_id = u.id and a.mailbox_proven_at is not null)
      or exists (select from audit_events e where e.user_id = u.id and e.event = 'email-changed')
    )`,
  })
  const row = await findRow(
    sql,
    link.identifier,
    sql`
      select ${columnsOf(sql, FullUser, 'u')}, ${facts} from verifications v
      join users u on u.id = v.user_id
      where v.identifier = ${link.identifier} and v.expires_at > now() and u.id = ${link.userId} and u.email = ${link.email}
    `,
  )
  if (!row) return null
  const { ipAddress, userAgent, ways, isHolder, isEstablished, ...user } = row
  return { user, ipAddress, userAgent, ways, isHolder, isEstablished }
}
