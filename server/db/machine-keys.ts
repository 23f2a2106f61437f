import { MachineKey } from '../../shared/machine-key.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import type { MachineCaller } from '../request/client.ts'
import { type PageOf, type PageRequest, toPage } from '../request/paging.ts'
import type { SignInMethodCapability } from '../request/sign-in-method-capability.ts'
import { insertAuditEvent, runAudited } from './audit-events.ts'
import { findRow, oneOrNone } from './checked-row.ts'
import { combineColumns, computedColumns, databaseDefault, newRow } from './columns.ts'
import type { ReadSql, Sql } from './connect.ts'
import { deleteExpiredRows } from './expired-rows.ts'
import { insertMachine, type NewMachine } from './machine-users.ts'
import { isMember, type OrganizationReader, type Sponsorship, sponsorColumns } from './organization-actors.ts'
import { isRotatableByRule } from './trust-rules.ts'

/** A key before its remaining authority is computed. */
export type StoredKey = Omit<MachineKey, 'authority'> & Sponsorship

/**
 * The part of a key that its own row stores. Its roles are those of its membership, and its secrets have their own
 * rows.
 */
const KeyRow = MachineKey.omit({
  role: true,
  overlapEndsAt: true,
  sponsorId: true,
  sponsorName: true,
  authority: true,
})

/** The columns of a key `k`. For a machine key, `u` is its user and `m` its membership. */
const keyColumns = (sql: ReadSql) => combineColumns(sql, ownColumns(sql), sponsorColumns(sql))

const ownColumns = (sql: ReadSql) =>
  computedColumns<Omit<StoredKey, keyof Sponsorship>>(sql, {
    id: 'k.id',
    name: 'k.name',
    userId: 'k.userId',
    organizationId: 'k.organizationId',
    role: 'm.roles',
    scopes: 'k.scopes',
    ipRanges: 'k.ipRanges',
    rotatesItself: 'k.rotatesItself',
    hint: 'k.hint',
    overlapEndsAt: sql`
      (select max(s.ends_at) from machine_key_secrets s where s.key_id = k.id and s.ends_at > now())
    `,
    createdBy: 'k.createdBy',
    createdAt: 'k.createdAt',
    expiresAt: 'k.expiresAt',
    lastUsedAt: 'k.lastUsedAt',
    lastUsedIp: 'k.lastUsedIp',
  })

const keysAndRoles = (sql: ReadSql) => sql`
  machine_keys k
  left join users u on u.id = k.user_id and u.organization_id = k.organization_id
  left join members m on m.organization_id = k.organization_id and m.user_id = k.user_id
`

export const findKey = (sql: Sql, id: string): Promise<StoredKey | null> =>
  oneOrNone(sql`select ${keyColumns(sql)} from ${keysAndRoles(sql)} where k.id = ${id}`)

/** A subquery for the organization of a key. */
export const organizationOfKey = (sql: Sql, id: string) =>
  sql`(select organization_id from machine_keys where id = ${id})`

/**
 * `isNamed`: whether the current session may rotate this key. True for every person. For a machine, its trust rule
 * decides. `isExpired`: at the time of the transaction.
 */
export type LockedKey = StoredKey & LockedState

interface LockedState {
  readonly isNamed: boolean
  readonly isExpired: boolean
}

/** The same, and locks the key: a concurrent rotation waits and then sees the newer secret. */
export function lockKey(tx: Sql, id: string, trustId: string | null): Promise<LockedKey | null> {
  const isNamed = trustId === null ? tx`true` : isRotatableByRule(tx, trustId)
  const lockedState = computedColumns<LockedState>(tx, { isNamed, isExpired: tx`k.expires_at <= now()` })
  const columns = combineColumns(tx, keyColumns(tx), lockedState)
  return oneOrNone(tx`select ${columns} from ${keysAndRoles(tx)} where k.id = ${id} for update of k`)
}

/**
 * Whether this is the secret that no other one has replaced. A statement after `lockKey`: it then sees what a rotation
 * changed for which the lock waited. True without a secret.
 */
export async function isNewestSecret(tx: Sql, id: string, hash: Buffer | null): Promise<boolean> {
  const rows = await tx`
    select where ${hash}::bytea is null
      or exists (select from machine_key_secrets where key_id = ${id} and hash = ${hash} and ends_at is null)
  `
  return rows.length > 0
}

/** Returns whether all of these keys belong to the organization. */
export async function areOrganizationKeys(sql: Sql, organizationId: string, ids: readonly string[]): Promise<boolean> {
  const rows = await sql`
    select from machine_keys where organization_id = ${organizationId} and id = any(${ids as string[]})
  `
  return rows.length === new Set(ids).size
}

/** Whose keys: an organization's, for its members, or a person's own. Listed newest first. */
export type KeyOwner = { readonly of: OrganizationReader } | { readonly userId: string }

export async function listKeys(sql: ReadSql, owner: KeyOwner, page: PageRequest): Promise<PageOf<StoredKey>> {
  const rows = await sql`
    select ${keyColumns(sql)} from ${keysAndRoles(sql)}
    where ${isOf(sql, owner)}
    order by k.created_at desc, k.id desc
    limit ${page.limit + 1} offset ${page.offset}
  `
  return toPage(rows, page)
}

const isOf = (sql: ReadSql, owner: KeyOwner) =>
  'userId' in owner
    ? sql`k.user_id = ${owner.userId} and k.organization_id is null`
    : sql`k.organization_id = ${owner.of.organizationId} and ${isMember(sql, owner.of)}`

export interface NewKey {
  readonly id: string
  readonly name: string
  /** SHA-256 of the secret. */
  readonly hash: Buffer
  readonly hint: string
  readonly scopes: readonly string[] | null
  readonly ipRanges: readonly string[]
  readonly rotatesItself: boolean
  readonly createdBy: SignInMethodCapability
  /** Lifetime in seconds. */
  readonly seconds: number
  /** The maximum number of keys of the owner. */
  readonly limit: number
}

/** Locks the person, so that their keys are counted one after the other. */
export const lockKeyOwner = (tx: Sql, userId: string) =>
  findRow(
    tx,
    userId,
    tx`
  select id from users where id = ${userId} for no key update
`,
  )

/** Creates a key for a person, whom the caller has locked. False when they have the maximum number of keys. */
export function createPersonalKey(tx: Sql, key: NewKey, event: PendingAuditEvent): Promise<boolean> {
  const steps = tx`
    room as (
      select ${key.createdBy.userId}::text as user_id, null::text as organization_id
      where (select count(*) from machine_keys where user_id = ${key.createdBy.userId}) < ${key.limit}
    ),
    ${insertKey(tx, key)}
  `
  return isKeyInserted(tx, key, steps, event)
}

/**
 * Creates a key for an organization, which the caller has locked, and the machine user that it acts as. False when the
 * organization has the maximum number of keys.
 */
export function createOrganizationKey(
  tx: Sql,
  key: NewKey,
  machine: NewMachine,
  event: PendingAuditEvent,
): Promise<boolean> {
  const { organizationId } = machine
  const counted = tx`select count(*) from machine_keys where organization_id = ${organizationId}`
  const steps = tx`
    ${insertMachine(tx, machine, key.createdBy, tx`select where (${counted}) < ${key.limit}`)},
    room as (select id as user_id, ${organizationId}::text as organization_id from machine),
    ${insertKey(tx, key)}
  `
  return isKeyInserted(tx, key, steps, event)
}

const insertKey = (tx: Sql, key: NewKey) => tx`
  key as (
    insert into machine_keys ${newRow(tx, KeyRow, {
      id: key.id,
      name: key.name,
      userId: tx`user_id`,
      organizationId: tx`organization_id`,
      scopes: tx`${key.scopes}::text[]`,
      ipRanges: tx`${key.ipRanges}::text[]`,
      rotatesItself: key.rotatesItself,
      hint: key.hint,
      createdBy: key.createdBy.userId,
      createdAt: databaseDefault,
      expiresAt: tx`now() + make_interval(secs => ${key.seconds})`,
      lastUsedAt: databaseDefault,
      lastUsedIp: databaseDefault,
    })}
    from room
    returning id
  ), secret as (
    insert into machine_key_secrets (hash, key_id) select ${key.hash}, id from key
  )
`

async function isKeyInserted(
  tx: Sql,
  { id }: NewKey,
  steps: ReturnType<typeof insertKey>,
  event: PendingAuditEvent,
): Promise<boolean> {
  const audited = tx`${steps}, audited as (${insertAuditEvent(tx, event, tx`select from key`)})`
  return (await findRow(tx, id, tx`select id from key`, audited)) !== null
}

export interface KeyRotation {
  /** Who receives the new secret: a person, or the key itself, which has one already. */
  readonly by: SignInMethodCapability | MachineCaller
  /** Whether the key replaces its own secret. Then it never has more than two. */
  readonly isSelf: boolean
  readonly hash: Buffer
  readonly hint: string
  /** Seconds for which the replaced secret still works. */
  readonly overlap: number
  /** The new lifetime in seconds. Null keeps the current expiry. */
  readonly seconds: number | null
}

/**
 * Ends the secrets of a key that the caller has locked, and gives it another hint and lifetime. They end after the
 * overlap, or at their own end if that is sooner.
 */
export const endSecrets = (
  tx: Sql,
  id: string,
  { isSelf, hint, overlap, seconds }: Omit<KeyRotation, 'by' | 'hash'>,
  event: PendingAuditEvent,
) => tx`
    with gone as (
      delete from machine_key_secrets
      where key_id = ${id} and (${overlap === 0} or (${isSelf} and ends_at is not null))
    ), older as (
      update machine_key_secrets set ends_at = now() + make_interval(secs => ${overlap})
      where key_id = ${id} and ${overlap > 0}
        and (ends_at is null or (not ${isSelf} and ends_at > now() + make_interval(secs => ${overlap})))
    ), audited as (${insertAuditEvent(tx, event)})
    update machine_keys
    set hint = ${hint}, expires_at = coalesce(now() + make_interval(secs => ${seconds}), expires_at)
    where id = ${id}
`

/**
 * A statement after `endSecrets`: only one secret of a key may have no end, and the previous one has an end by then.
 */
export const insertSecret = (tx: Sql, id: string, { hash }: Pick<KeyRotation, 'by' | 'hash'>) => tx`
  insert into machine_key_secrets (hash, key_id) values (${hash}, ${id})
`

/** Deletes a person's key. An organization's key is deleted with its machine. False when it was deleted already. */
export const deleteKey = (tx: Sql, id: string, event: PendingAuditEvent): Promise<boolean> =>
  runAudited(tx, tx`delete from machine_keys where id = ${id} returning id`, event)

/** Deletes secrets whose overlap is over. */
export const deleteEndedSecrets = (sql: Sql, batch: number) =>
  deleteExpiredRows(sql, { table: 'machine_key_secrets', key: 'hash', moment: 'ends_at' }, batch)

/** Days for which an expired key is still listed, so that its owner can find out why a pipeline fails. */
const expiredKeyDays = 30

/** Deletes keys that expired long ago, with machines that nothing else acts as. */
export const deleteExpiredKeys = (sql: Sql, batch: number) => sql`
  with over as (
    select id, user_id from machine_keys
    where expires_at <= now() - make_interval(days => ${expiredKeyDays})
    order by expires_at
    limit ${batch}
    for update skip locked
  ),
  machines as (
    delete from users where id = any(array(select user_id from over)) and organization_id is not null
  )
  delete from machine_keys where id = any(array(select id from over))
`
