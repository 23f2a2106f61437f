import type postgres from 'postgres'
import { FullUser } from '../../shared/entities.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import type { ProvenAddress } from '../request/proven-address.ts'
import { proofColumns } from './accounts.ts'
import { insertAuditEvent } from './audit-events.ts'
import { findRow, getRow } from './checked-row.ts'
import { columnsOf, computedColumns, fieldsOf, newRow } from './columns.ts'
import type { Sql } from './connect.ts'
import { type NewPerson, newPersonColumns } from './created-user.ts'
import { deleteDeviceRequestsOf } from './device-requests.ts'
import { type CountersToSettle, settleCounters } from './limits.ts'
import { insertNotice, type Notice } from './links.ts'
import { vouchedProof } from './passwords.ts'
import { isKeptByEndActedAs } from './user-sessions.ts'
import { type ManagedChange, profileColumns } from './users.ts'

// What administrators do to users. Every function here runs behind the lock of lockAdministration.

export interface Ban {
  readonly reason: string | null
  /** When the ban ends by itself. Null: never. */
  readonly until: Date | null
}

export interface ManagedUser extends NewPerson {
  readonly accountId: string
  /** Null when the address is not verified yet. */
  readonly provenAddress: ProvenAddress | null
  readonly ban: Ban | null
  /** The password's hash. Null when the user has no password yet. */
  readonly password: string | null
}

/** Creates a user without a session. Null when another user has the address. */
export const insertManagedUser = (
  sql: Sql,
  user: ManagedUser,
  event: PendingAuditEvent | null,
): Promise<FullUser | null> =>
  findRow(
    sql,
    user.id,
    sql`select ${fieldsOf(sql, FullUser)} from made`,
    sql`
      made as (
        insert into users ${newRow(sql, FullUser, {
          ...newPersonColumns(sql, user),
          emailVerified: user.provenAddress !== null,
          banned: user.ban ? true : null,
          banReason: user.ban?.reason ?? null,
          banExpires: user.ban?.until ?? null,
        })}
        on conflict (email) do nothing
        returning ${columnsOf(sql, FullUser)}
      ), account as (
        insert into accounts (id, user_id, provider_id, account_id, password, mailbox_proof, mailbox_proven_at, proven_email)
        select ${user.accountId}, id, 'credential', id, ${user.password}, ${proofColumns(sql, user.provenAddress)} from made where ${user.password}::text is not null
      )
      ${event ? sql`, audited as (${insertAuditEvent(sql, event, sql`select from made`)})` : sql``}
    `,
  )

/** The changed user, and the ids of sessions that ended or must be read again. */
export interface ChangedUser {
  readonly user: FullUser
  readonly ended: readonly string[]
}

/**
 * `endsActing`: the user's impersonations of others end, since they lose the right to them. `endsActedAs`: those of the
 * user, since they now have platform rights themselves.
 */
interface EndedActing {
  readonly endsActing: boolean
  readonly endsActedAs: boolean
}

const endImpersonations = (tx: Sql, userId: string, { endsActing, endsActedAs }: EndedActing) => tx`
  delete from sessions
  where ${endsActing} and impersonated_by = ${userId}
    or ${endsActedAs} and user_id = ${userId} and impersonated_by is not null
`

/** Replaces the user's roles. */
export function setRoles(tx: Sql, userId: string, roles: readonly string[], ended: EndedActing): Promise<ChangedUser> {
  const steps = tx`
    changed as (
      update users set roles = ${roles}::text[], updated_at = now() where id = ${userId}
      returning ${columnsOf(tx, FullUser)}
    ),
    gone as (${endImpersonations(tx, userId, ended)}),
    ended as (
      select id from sessions where user_id = ${userId}
    )
  `
  return runUserChange(tx, userId, steps)
}

/** Bans a user, and ends everything by which anybody is, or could soon be, signed in as them or through them. */
export function banUser(tx: Sql, userId: string, { reason, seconds }: { reason: string; seconds: number | null }) {
  const until = seconds === null ? tx`null` : tx`now() + make_interval(secs => ${seconds})`
  // A kept sign-up attempt signs nobody in, and whoever made it would see from the next answer that it is gone: that the
  // address was taken, and its user is banned.
  const steps = tx`
    changed as (
      update users set banned = true, ban_reason = ${reason}, ban_expires = ${until}, updated_at = now()
      where id = ${userId}
      returning ${columnsOf(tx, FullUser)}
    ),
    ${signOutSteps(tx, userId)},
    links as (delete from verifications where user_id = ${userId} and identifier not like 'sign-up:%')
  `
  return runUserChange(tx, userId, steps)
}

export function unbanUser(tx: Sql, userId: string): Promise<FullUser> {
  const steps = tx`
    changed as (
      update users set banned = false, ban_reason = null, ban_expires = null, updated_at = now() where id = ${userId}
      returning ${columnsOf(tx, FullUser)}
    )
  `
  return getRow(tx, userId, tx`select ${fieldsOf(tx, FullUser)} from changed`, steps)
}

interface ManagedChangeEffects extends EndedActing {
  /** Tells the old address of a new one, which also ends every mailed link. */
  readonly notice: Notice | null
}

/**
 * Changes a profile. An address that is declared verified is vouched for as the one of a created user, and one that is
 * no longer verified proves nothing. Of the sessions that it may end, no browser has a cached copy.
 */
export function updateManagedUser(
  tx: Sql,
  userId: string,
  fields: ManagedChange,
  { notice, ...ended }: ManagedChangeEffects,
): Promise<FullUser> {
  const steps = tx`
    changed as (
      update users set ${profileColumns(tx, fields)} where id = ${userId} returning ${columnsOf(tx, FullUser)}
    ),
    ended as (${endImpersonations(tx, userId, ended)})
    ${fields.emailVerified === undefined ? tx`` : tx`, ${declareProof(tx, fields.emailVerified, ended)}`}
    ${notice ? tx`, links as (delete from verifications where user_id = ${userId}), ${insertNotice(tx, notice, tx`select id from changed`)}` : tx``}
  `
  return getRow(tx, userId, tx`select ${fieldsOf(tx, FullUser)} from changed`, steps)
}

/** Proves the address for the password alone, or for nobody. Proofs of earlier addresses are gone either way. */
const declareProof = (tx: Sql, isVerified: boolean, { endsActedAs }: EndedActing) => {
  const isDeclared = tx`(${isVerified} and a.provider_id = 'credential')`
  const isOutdated = (proven: string) => tx`${tx(proven)} <> case when ${isVerified} then c.email else '' end`
  return tx`
    proven as (
      update accounts a set mailbox_proof = case when ${isDeclared} then 'admin' end,
        mailbox_proven_at = case when ${isDeclared} then now() end, proven_email = case when ${isDeclared} then c.email end
      from changed c
      where a.user_id = c.id and (${isOutdated('a.proven_email')} or ${isDeclared} and a.proven_email is null)
    ),
    unproven_sessions as (
      update sessions s set proven_email = null from changed c
      where s.user_id = c.id and ${isOutdated('s.proven_email')} and ${isKeptByEndActedAs(tx, endsActedAs)}
    )
  `
}

export interface NewPassword {
  readonly userId: string
  readonly accountId: string
  /** The hash, never the password. */
  readonly password: string
  /** Counters of wrong passwords, which are cleared. */
  readonly proof: CountersToSettle
  readonly notice: Notice
}

/**
 * Replaces any password, ends everything that the old one began, including the user's own keys, and informs the user.
 */
export function replacePassword(tx: Sql, { userId, accountId, password, proof, notice }: NewPassword) {
  const steps = tx`
    changed as (
      update users set updated_at = now() where id = ${userId} returning ${columnsOf(tx, FullUser)}
    ), account as (
      insert into accounts (id, user_id, provider_id, account_id, password, mailbox_proof, mailbox_proven_at, proven_email)
      select ${accountId}, id, 'credential', id, ${password}, ${vouchedProof(tx, 'admin')} from changed o
      on conflict (user_id) where provider_id = 'credential'
      do update set password = excluded.password, updated_at = now()
    ),
    keys as (delete from machine_keys where user_id = ${userId}),
    ${signOutSteps(tx, userId)},
    reset_links as (delete from verifications where user_id = ${userId} and identifier like 'reset-password:%'),
    ${settleCounters(tx, proof, tx`select from changed`)}
    ${insertNotice(tx, notice, tx`select id from changed`)}
  `
  return runUserChange(tx, userId, steps)
}

/** Impersonations end by a foreign key with the session in which they began, and requests for a link with the one that asked. */
const signOutSteps = (tx: Sql, userId: string) => tx`
  ended as (delete from sessions where user_id = ${userId} returning id),
  devices as (${deleteDeviceRequestsOf(tx, tx`${userId}`)})
`

async function runUserChange(tx: Sql, userId: string, steps: postgres.Fragment): Promise<ChangedUser> {
  const outcome = computedColumns<Omit<ChangedUser, 'user'>>(tx, { ended: tx`array(select id from ended)` })
  const { ended, ...user } = await getRow(
    tx,
    userId,
    tx`select ${fieldsOf(tx, FullUser)}, ${outcome} from changed`,
    steps,
  )
  return { user, ended }
}
