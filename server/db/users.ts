import { FullUser, type Session, User } from '../../shared/entities.ts'
import type { Language } from '../../shared/languages.ts'
import { OrganizationName } from '../../shared/organization.ts'
import type { OwnValues } from '../../shared/own-fields.ts'
import type { AdmittedSession } from '../request/admission.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent, withAuditEvent } from './audit-events.ts'
import { findRow, getRow, oneOrNone } from './checked-row.ts'
import {
  columnsOf,
  computedColumns,
  databaseDefault,
  jsonFieldsOf,
  newRow,
  nullableColumns,
  unchanged,
  updatedColumns,
} from './columns.ts'
import type { Sql } from './connect.ts'
import { type CreatedUser, findCreatedUser, newUserDefaults } from './created-user.ts'
import {
  type CountersToSettle,
  type CountResult,
  countUses,
  type Limit,
  type Limits,
  settleCounters,
} from './limits.ts'
import { insertLink, type NewLink } from './links.ts'
import { isPerson } from './machine-users.ts'
import { conflictError } from './outage.ts'
import { changedOwnFields, newOwnFields } from './own-fields.ts'
import { isAdmissible, isBannedNow, noSessionSteps, startSession } from './session-start.ts'
import type { Outcome } from './transaction.ts'

/** Everything that a password sign-in decides on: the user with the password's hash, or nulls. */
export interface Credential extends CountResult {
  readonly user: FullUser | null
  readonly password: string | null
  /** The id of the password's account row. */
  readonly accountId: string | null
  readonly isBanned: boolean
}

/** Counts the attempt and finds the user in one round trip. One row comes back whether or not the user exists. */
export async function findCredential(sql: Sql, email: string, limits: readonly Limit[]): Promise<Credential> {
  const tried = computedColumns<Omit<Credential, 'user'>>(sql, {
    refusedFor: 'c.refusedFor',
    password: 'a.password',
    accountId: 'a.id',
    isBanned: isBannedNow(sql),
  })
  const found = sql`
    select ${tried}, ${nullableColumns(columnsOf(sql, FullUser, 'u'))}
    from counted c
    left join users u on c.refused_for is null and u.email = ${email}
    left join accounts a on a.user_id = u.id and a.provider_id = 'credential'
  `
  const row = await getRow(sql, email, found, countUses(sql, limits))
  const { refusedFor, password, accountId, isBanned, ...user } = row
  return { refusedFor, password, accountId, isBanned, user: user.id === null ? null : user }
}

/** Counts the attempt and returns whether the address is taken. */
export const isEmailTaken = (sql: Sql, email: string, limits: Limits) =>
  getRow<CountResult & { isTaken: boolean }>(
    sql,
    email,
    sql`select c.refused_for, exists (select from users where email = ${email}) as is_taken from counted c`,
    countUses(sql, limits),
  )

export interface NewUser {
  readonly id: string
  readonly accountId: string
  readonly email: string
  readonly name: string
  readonly image: string | null
  readonly language: Language | null
  readonly roles: readonly string[]
  readonly fields: OwnValues
  /** The hash, never the password. */
  readonly password: string
  readonly event: PendingAuditEvent
}

/**
 * Creates the user, password account, first session and verification mail in one statement, so all or nothing. Null
 * when another user took the address meanwhile: the unique key decides, not the earlier check.
 */
export function createUser(
  sql: Sql,
  user: NewUser,
  admitted: AdmittedSession | null,
  link: NewLink | null,
): Promise<CreatedUser | null> {
  const made = sql`select id, ${user.accountId}::text as account_id, null::text as proven_email from made`
  const steps = sql`
    made as (
      insert into users ${newRow(sql, FullUser, {
        ...newUserDefaults,
        id: user.id,
        email: user.email,
        name: user.name,
        image: user.image,
        emailVerified: databaseDefault,
        language: user.language,
        role: sql`${user.roles}::text[]`,
        fields: newOwnFields(sql, user.fields),
      })}
      on conflict (email) do nothing
      returning ${columnsOf(sql, FullUser)}
    ), account as (
      insert into accounts (id, user_id, provider_id, account_id, password)
      select ${user.accountId}, id, 'credential', id, ${user.password} from made
    ),
    ${link ? sql`${insertLink(sql, link, sql`select id from made`)},` : sql``}
    ${admitted ? startSession(sql, admitted, made) : noSessionSteps(sql)},
    audited as (${insertAuditEvent(sql, user.event, sql`select from made`)})
  `
  return findCreatedUser(sql, user.id, link, steps)
}

export interface PasswordSignIn {
  readonly userId: string
  /** The hash that was verified. */
  readonly hash: string
  readonly admitted: AdmittedSession
  /** Counters that the proven password settles. */
  readonly counters: CountersToSettle
  /** A new hash at the current cost. Null when the verified one has it already. */
  readonly rehash: string | null
  readonly event: PendingAuditEvent
}

/**
 * Does everything that follows from a proven password in one statement. Returns the ids of the ended sessions. Null
 * when the user was deleted or banned meanwhile, or the password is no longer the verified one: the locks wait for a
 * reset in progress and then check again. Concurrent sign-ins do not see each other's sessions and can exceed the limit
 * together. The next sign-in restores it.
 */
export async function signInWithPassword(sql: Sql, signIn: PasswordSignIn): Promise<readonly string[] | null> {
  const { userId, admitted, counters, rehash, event } = signIn
  // Two sign-ins that both replace the hash would deadlock if both held a shared lock on it.
  const lock = rehash === null ? sql`for share of a` : sql`for no key update of a`
  const steps = sql`
    ${startSession(sql, admitted, userOfVerifiedPassword(sql, signIn, lock))},
    ${settleCounters(sql, counters, sql`select from started`)}
    ${rehash === null ? sql`` : sql`rehashed as (${updatePasswordHash(sql, userId, rehash)}),`}
    audited as (${insertAuditEvent(sql, event, sql`select from started`)})
  `
  const found = sql`select array(select id from ended) as ended from started`
  const row = await findRow<{ ended: string[] }>(sql, admitted.session.tokenHash, found, steps)
  return row?.ended ?? null
}

/** Selects and locks the user whose password still has the verified hash, if the gate lets them in. */
export const userOfVerifiedPassword = (
  sql: Sql,
  { userId, hash, admitted }: Pick<PasswordSignIn, 'userId' | 'hash' | 'admitted'>,
  lock = sql`for share of a`,
) => sql`
  select u.id, a.id as account_id, a.proven_email from users u
  join accounts a on a.user_id = u.id and a.provider_id = 'credential'
  where u.id = ${userId} and ${isAdmissible(sql, admitted)} and a.password = ${hash}
  for key share of u
  ${lock}
`

// Only together with the session, since a password changed meanwhile must stay.
const updatePasswordHash = (sql: Sql, userId: string, hash: string) => sql`
  update accounts set password = ${hash}
  where user_id = ${userId} and provider_id = 'credential' and exists (select from started)
`

/** The changed fields of a profile. An absent field stays unchanged. */
export interface ProfileChange {
  readonly name?: string | undefined
  readonly image?: string | null | undefined
  readonly language?: Language | null | undefined
  readonly fields?: OwnValues | undefined
}

/** What administrators can change besides. */
export interface ManagedChange extends ProfileChange {
  readonly email?: string | undefined
  readonly emailVerified?: boolean | undefined
}

export const profileColumns = (sql: Sql, { name, image, language, email, emailVerified, fields }: ManagedChange) =>
  updatedColumns(sql, User, {
    id: unchanged,
    email,
    name,
    image,
    emailVerified,
    language,
    createdAt: unchanged,
    updatedAt: sql`now()`,
    fields: changedOwnFields(sql, fields),
  })

export const updateProfile = (
  sql: Sql,
  userId: string,
  fields: ProfileChange,
  event: PendingAuditEvent,
): PromiseLike<{ userId: string } | null> => {
  const change = sql`update users set ${profileColumns(sql, fields)} where id = ${userId} returning id as user_id`
  return oneOrNone(sql<{ userId: string }[]>`with ${withAuditEvent(sql, change, event)} select user_id from done`)
}

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
}

type Ids = readonly { readonly id: string }[]

/**
 * The statements of one trip that lock every organization of the user and then the user, so that their members and the
 * user's organizations stay the same until the transaction ends. Joining an organization locks in the same order. Give
 * their answers to `requireAllLocked`.
 */
export const deletionLocks = (userId: string) =>
  [
    (sql: Sql) => sql<{ id: string }[]>`
      select o.id from members m
      join organizations o on o.id = m.organization_id
      where m.user_id = ${userId}
      order by o.id
      for update of o
    `,
    (sql: Sql) => sql`select from users where id = ${userId} for update`,
    (sql: Sql) => sql<{ id: string }[]>`select organization_id as id from members where user_id = ${userId}`,
  ] as const

/**
 * An organization joined between the two locks cannot be locked without breaking their order, so the transaction starts
 * again.
 */
export function requireAllLocked([locked, , joined]: readonly [Ids, unknown, Ids]): void {
  const isLocked = new Set(locked.map(({ id }) => id))
  if (!joined.every(({ id }) => isLocked.has(id))) throw conflictError('an organization was joined meanwhile')
}

/** For a member `m`. */
const isMemberBanned = (tx: Sql) => tx`exists (select from users u where u.id = m.user_id and ${isBannedNow(tx)})`

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
  const { session, identifier, ownerRole, counters, event } = deletion
  const closedToo = tx`jsonb_strip_nulls(jsonb_build_object('organizations', (select jsonb_agg(id) from closed)))`
  const steps = tx`
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
    ), owner as (
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
    audited as (${insertAuditEvent(tx, event, tx`select from deleted`, { details: closedToo })})
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
