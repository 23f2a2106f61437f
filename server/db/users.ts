import { FullUser, User } from '../../shared/entities.ts'
import type { Language } from '../../shared/languages.ts'
import type { OwnValues } from '../../shared/own-fields.ts'
import type { AdmittedSession } from '../request/admission.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent, withAuditEvent } from './audit-events.ts'
import { findRow, getRow, oneOrNone } from './checked-row.ts'
import {
  columnsOf,
  computedColumns,
  databaseDefault,
  newRow,
  nullableColumns,
  unchanged,
  updatedColumns,
} from './columns.ts'
import type { Sql } from './connect.ts'
import { type CreatedUser, findCreatedUser, type NewPerson, newPersonColumns } from './created-user.ts'
import {
  type CountersToSettle,
  type CountResult,
  countUses,
  type Limit,
  type Limits,
  settleCounters,
} from './limits.ts'
import { insertLink, type NewLink } from './links.ts'
import { changedOwnFields } from './own-fields.ts'
import { isAdmissible, isBannedNow, noSessionSteps, startSession } from './session-start.ts'

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

export interface NewUser extends NewPerson {
  readonly accountId: string
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
        ...newPersonColumns(sql, user),
        emailVerified: databaseDefault,
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
