import type { Session } from '../../shared/entities.ts'
import { OrganizationName } from '../../shared/organization.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent, insertAuditEvents } from './audit-events.ts'
import { getRow } from './checked-row.ts'
import { columnsOf, jsonFieldsOf } from './columns.ts'
import type { Sql } from './connect.ts'
import { type CountersToSettle, settleCounters } from './limits.ts'
import { isOnlyPerson, isPerson } from './machine-users.ts'
import { conflictError } from './outage.ts'
import { isBannedNow } from './session-start.ts'
import type { Outcome } from './transaction.ts'

/**
 * The account to delete: the session that asks (null: the mailed token alone proves who asks), the mailed token to
 * consume (null: none), and the role that makes an owner.
 */
export interface UserDeletion {
  readonly session: Pick<Session, 'userId'> & { readonly id: string | null }
  readonly identifier: string | null
  readonly ownerRole: string
  /** The counters that the user's own password settles, if it was proven. */
  readonly counters?: CountersToSettle | null
  readonly event: PendingAuditEvent
  /** The ends of the organizations that `requireAllLocked` returned. */
  readonly endings: readonly PendingAuditEvent[]
}

type Id = { readonly id: string }
type Joined = Id & { readonly isEnding: boolean }

/**
 * The statements of one trip that lock every organization of the user and then the user, so that their members and the
 * user's organizations stay the same until the transaction ends. Joining an organization locks in the same order. Give
 * their answers to `requireAllLocked`.
 */
export const deletionLocks = (userId: string) =>
  [
    (sql: Sql) => sql<Id[]>`
      select o.id from members m
      join organizations o on o.id = m.organization_id
      where m.user_id = ${userId}
      order by o.id
      for update of o
    `,
    (sql: Sql) => sql`select from users where id = ${userId} for update`,
    (sql: Sql) => sql<Joined[]>`
      select m.organization_id as id, ${isOnlyPerson(sql)} as is_ending from members m where m.user_id = ${userId}
    `,
  ] as const

/**
 * Returns the organizations that end with the user. An organization joined between the two locks cannot be locked
 * without breaking their order, so the transaction starts again.
 */
export function requireAllLocked([locked, , joined]: readonly [readonly Id[], unknown, readonly Joined[]]): string[] {
  const isLocked = new Set(locked.map(({ id }) => id))
  if (!joined.every(({ id }) => isLocked.has(id))) throw conflictError('an organization was joined meanwhile')
  return joined.flatMap(({ id, isEnding }) => (isEnding ? [id] : []))
}

/** For a member `m`. */
const isMemberBanned = (tx: Sql) => tx`exists (select from users u where u.id = m.user_id and ${isBannedNow(tx)})`

/** The steps that tell who else is in the user's organizations, and whether others would be left without an owner. */
const membershipRule = (tx: Sql, { session, ownerRole }: UserDeletion) => tx`
  memberships as (
    select mine.organization_id as id, count(m.id) > 0 as has_others,
      bool_or(${ownerRole} = any(mine.roles)) as is_owner,
      coalesce(bool_or(${ownerRole} = any(m.roles) and not ${isMemberBanned(tx)}), false) as has_owners
    from members mine
    left join members m on m.organization_id = mine.organization_id and m.id <> mine.id and ${isPerson(tx, 'm')}
    where mine.user_id = ${session.userId}
    group by mine.organization_id
  ), rule as (
    select exists (select from memberships where is_owner and has_others and not has_owners) as is_only_owner
  )
`

/** The user who may be deleted. With an identifier, only by consuming that token. */
const deletableUser = (tx: Sql, identifier: string | null) =>
  identifier
    ? tx`delete from verifications v using owner o
        where v.user_id = o.id and v.identifier = ${identifier} and v.expires_at > now()
        returning o.id`
    : tx`select id from owner`

/** The ids of the ended sessions, and the organizations that were deleted too. */
type DeletedUser = Outcome<
  { readonly ended: readonly string[]; readonly organizations: OrganizationName[] },
  'only-owner' | 'not-proven'
>

/**
 * Deletes a user and, by foreign keys, everything of theirs while the asking session lives. With an `identifier`, only
 * by consuming that token. The user's row is locked before any token. Organizations without other people are deleted
 * too: `organizations`. `only-owner`: others would be left without an owner who is not banned. `not-proven`: the
 * session or token ended meanwhile.
 */
export async function deleteUser(tx: Sql, deletion: UserDeletion): Promise<DeletedUser> {
  const { session, identifier, counters, event, endings } = deletion
  const closedToo = tx`jsonb_strip_nulls(jsonb_build_object('organizations', (select jsonb_agg(id) from closed)))`
  const steps = tx`
    ${membershipRule(tx, deletion)},
    owner as (
      select id from users
      where id = ${session.userId} and (${session.id === null} or exists (select from sessions where id = ${session.id}))
        and not (select is_only_owner from rule)
      for update
    ), proven as (${deletableUser(tx, identifier)}),
    closed as (
      delete from organizations o using memberships m
      where o.id = m.id and not m.has_others and exists (select from proven)
      returning ${columnsOf(tx, OrganizationName, 'o')}
    ),
    deleted as (delete from users u using proven p where u.id = p.id returning u.id),
    ${counters ? settleCounters(tx, counters, tx`select from deleted`) : tx``}
    audited as (${insertAuditEvent(tx, event, tx`select from deleted`, { details: closedToo })}),
    audited_endings as (${insertAuditEvents(tx, endings)})
  `
  const closed = tx`json_agg(json_build_object(${jsonFieldsOf(tx, OrganizationName, 'c')}) order by c.slug)`
  const found = tx`
    select is_only_owner, (select array(select s.id from sessions s where s.user_id = d.id) from deleted d) as ended,
      (select coalesce(${closed}, '[]') from closed c) as organizations
    from rule
  `
  type Row = { ended: string[] | null; isOnlyOwner: boolean; organizations: OrganizationName[] }
  const { isOnlyOwner, ended, organizations } = await getRow<Row>(tx, session.userId, found, steps)
  if (isOnlyOwner) return { outcome: 'only-owner' }
  return ended ? { outcome: 'done', ended, organizations } : { outcome: 'not-proven' }
}
