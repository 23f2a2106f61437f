import type postgres from 'postgres'
import { FullUser } from '../../shared/entities.ts'
import { ProvenAddress } from '../request/proven-address.ts'
import { findRow, getRow } from './checked-row.ts'
import { columnsOf, computedColumns } from './columns.ts'
import type { Sql } from './connect.ts'
import { isBannedNow } from './session-start.ts'

/** An arbitrary constant of our own. */
const lock = 4_100_002

/** Serialises administrative changes, so nobody uses a right that is being taken away. `when`: only then. */
export const lockAdministration = (tx: Sql, when = tx`true`) => tx`select pg_advisory_xact_lock(${lock}) where ${when}`

/**
 * `isBanned`: by the database's clock. `isMachine`: belongs to an organization and is no person. `hasPassword`: which
 * an address that is declared verified proves. `provenAddress`: whether any sign-in method proved the address.
 */
export type Target = FullUser & {
  readonly isBanned: boolean
  readonly isMachine: boolean
  readonly hasPassword: boolean
  readonly provenAddress: ProvenAddress | null
}

/** `provenAddress`: whether the session's own sign-in method proved the address. */
export type Actor = FullUser & Pick<Target, 'provenAddress'>

/** For a user `u`. */
const hasProvenWayIn = (sql: Sql) => sql`
  exists (select from accounts a where a.user_id = u.id and a.proven_email = u.email)
`

/**
 * The same, and any session that was proven without a sign-in method: whoever may be an administrator is not touched by
 * lesser roles, but is none to rely on.
 */
const isProvenAnywhere = (sql: Sql) => sql`(
  ${hasProvenWayIn(sql)} or exists (
    select from sessions s
    where s.user_id = u.id and s.account_id is null and s.impersonated_by is null and s.proven_email = u.email
      and s.expires_at > now()
  )
)`

const hasPassword = (sql: Sql) => sql`
  exists (select from accounts a where a.user_id = u.id and a.provider_id = 'credential')
`

/** The acting administrator and the target, read behind the lock. Null when one does not exist. */
export interface ActorAndTarget {
  readonly actor: Actor | null
  readonly target: Target | null
}

/** Finds the target by something else than its id. */
type TargetQuery = (sql: Sql) => postgres.Fragment

/** `hold`: no session of the target can begin until the transaction ends, and sign-ins under way have finished. */
export interface ActorAndTargetQuery {
  readonly sessionId: string
  readonly userId: string | TargetQuery | null
  readonly hold?: boolean
}

/** The actor must have a live session that is no impersonation, and must not be banned. */
export async function findActorAndTarget(
  tx: Sql,
  { sessionId, userId, hold = false }: ActorAndTargetQuery,
): Promise<ActorAndTarget> {
  const targetId = typeof userId === 'function' ? userId(tx) : tx`${userId}`
  const isActor = tx`exists (
    select from sessions s
    where s.id = ${sessionId} and s.user_id = u.id and s.expires_at > now() and s.impersonated_by is null
  )`
  const isMachine = tx`u.organization_id is not null`
  const isTarget = tx`u.id is not distinct from ${targetId}`
  const isProvenActor = tx`exists (select from sessions s where s.id = ${sessionId} and s.user_id = u.id and s.proven_email = u.email)`
  const flags = computedColumns<Flags>(tx, {
    isActor,
    isTarget,
    isBanned: isBannedNow(tx),
    isMachine,
    isProvenActor,
    hasPassword: hasPassword(tx),
    hasProvenWayIn: isProvenAnywhere(tx),
  })
  const rows = await tx`
    select ${columnsOf(tx, FullUser, 'u')}, ${flags} from users u
    where u.id in (${targetId}, (select user_id from sessions where id = ${sessionId}))
    order by u.id
    ${hold ? tx`for update` : tx``}
  `
  const actor = rows.find((row) => row.isActor && !row.isBanned) ?? null
  const target = rows.find((row) => row.isTarget) ?? null
  return {
    actor: actor && { ...actor, provenAddress: ProvenAddress.ofSession({ addressProven: actor.isProvenActor }, actor) },
    target: target && { ...target, provenAddress: ProvenAddress.ofUser(target) },
  }
}

interface Flags {
  readonly isActor: boolean
  readonly isTarget: boolean
  readonly isBanned: boolean
  readonly isMachine: boolean
  readonly isProvenActor: boolean
  readonly hasPassword: boolean
  readonly hasProvenWayIn: boolean
}

/** `hasAccount`: the user has a password or a linked account to sign in with. */
export type AdminCandidate = Target & { readonly hasAccount: boolean }

/** Call behind the lock. Until the transaction ends nobody can sign in as this user, and they cannot set a password. */
export async function findUserByEmail(tx: Sql, email: string): Promise<AdminCandidate | null> {
  // A separate statement: one that waits for the row would not see the account stored along with it.
  await tx`select from users where email = ${email} for update`
  const flags = computedColumns<Omit<AdminCandidate, keyof Actor> & Pick<Flags, 'hasProvenWayIn'>>(tx, {
    isBanned: isBannedNow(tx),
    isMachine: tx`u.organization_id is not null`,
    hasPassword: hasPassword(tx),
    hasAccount: tx`exists (select from accounts a where a.user_id = u.id)`,
    hasProvenWayIn: hasProvenWayIn(tx),
  })
  const found = tx`select ${columnsOf(tx, FullUser, 'u')}, ${flags} from users u where u.email = ${email}`
  const row = await findRow(tx, email, found)
  return row && { ...row, provenAddress: ProvenAddress.ofUser(row) }
}

/** The settings that make a user an administrator. */
export interface AdminRule {
  readonly roles: readonly string[]
  readonly ids: readonly string[]
  /** Count only for users who proved the mailbox. */
  readonly emails: readonly string[]
}

/** Returns whether an administrator exists who is not banned, leaving out the user `besides`. */
export async function hasAdmin(sql: Sql, { roles, ids, emails }: AdminRule, besides: string | null): Promise<boolean> {
  const found = sql`
    select exists (
      select from users u
      where (
          u.roles && ${roles}::text[] or u.id = any(${ids}::text[])
          or u.email = any(${emails}::text[]) and ${hasProvenWayIn(sql)}
        )
        and not ${isBannedNow(sql)} and u.id is distinct from ${besides}
    ) as is_there
  `
  const { isThere } = await getRow<{ isThere: boolean }>(sql, besides ?? '', found)
  return isThere
}
