import { MachineKey } from '../../shared/machine-key.ts'
import type { MachineCaller } from '../request/client.ts'
import { type PageOf, type PageRequest, toPage } from '../request/paging.ts'
import type { MayAddWayIn } from '../request/way-in.ts'
import { both, byDatabase, computed, newRow } from './columns.ts'
import type { Sql } from './connect.ts'
import { insertMachine, type NewMachine } from './machine-users.ts'
import { type Sponsorship, sponsorColumns } from './organization-actors.ts'
import { findOwn, oneOrNone } from './own-row.ts'
import { mayRotateBy } from './trust-rules.ts'

/** A key, before it is said what is left of its roles. */
export type StoredKey = Omit<MachineKey, 'authority'> & Sponsorship

/** What stands of it in its row: its roles are those of its membership, and its secrets have rows of their own. */
const KeyRow = MachineKey.omit({
  role: true,
  overlapEndsAt: true,
  sponsorId: true,
  sponsorName: true,
  authority: true,
})

/** What is known of a key `k`, whose machine and membership, if it has them, are `u` and `m`. */
const keyColumns = (sql: Sql) => both(sql, ownColumns(sql), sponsorColumns(sql))

const ownColumns = (sql: Sql) =>
  computed<Omit<StoredKey, keyof Sponsorship>>(sql, {
    id: 'k.id',
    name: 'k.name',
    userId: 'k.userId',
    organizationId: 'k.organizationId',
    role: 'm.roles',
    scopes: 'k.scopes',
    ipRanges: 'k.ipRanges',
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

const keysAndRoles = (sql: Sql) => sql`
  machine_keys k
  left join users u on u.id = k.user_id and u.organization_id = k.organization_id
  left join members m on m.organization_id = k.organization_id and m.user_id = k.user_id
`

export const findKey = (sql: Sql, id: string): Promise<StoredKey | null> =>
  oneOrNone(sql`select ${keyColumns(sql)} from ${keysAndRoles(sql)} where k.id = ${id}`)

/** The organization of a key, by a look-up. */
export const organizationOfKey = (sql: Sql, id: string) =>
  sql`(select organization_id from machine_keys where id = ${id})`

/** With whether the trust rule by which somebody signed in lets them rotate it; a person's session has none. */
export type LockedKey = StoredKey & { readonly isNamed: boolean }

/** The same, and locks it: who rotates it at the same time waits, and then sees the newer one. */
export function lockKey(tx: Sql, id: string, trustId: string | null): Promise<LockedKey | null> {
  const isNamed = trustId === null ? tx`true` : mayRotateBy(tx, trustId)
  const columns = both(tx, keyColumns(tx), computed<{ isNamed: boolean }>(tx, { isNamed }))
  return oneOrNone(tx`select ${columns} from ${keysAndRoles(tx)} where k.id = ${id} for update of k`)
}

/** Whether all of these are keys of an organization. */
export async function areKeysOf(sql: Sql, organizationId: string, ids: readonly string[]): Promise<boolean> {
  if (ids.length === 0) return true
  const rows = await sql`
    select from machine_keys where organization_id = ${organizationId} and id = any(${ids as string[]})
  `
  return rows.length === new Set(ids).size
}

/** The keys of an organization, or a person's own; newest first. */
export type KeyOwner = { readonly organizationId: string } | { readonly userId: string }

export async function listKeys(sql: Sql, owner: KeyOwner, page: PageRequest): Promise<PageOf<StoredKey>> {
  const rows = await sql`
    select ${keyColumns(sql)} from ${keysAndRoles(sql)}
    where ${isOf(sql, owner)}
    order by k.created_at desc, k.id desc
    limit ${page.limit + 1} offset ${page.offset}
  `
  return toPage(rows, page)
}

const isOf = (sql: Sql, owner: KeyOwner) =>
  'userId' in owner
    ? sql`k.user_id = ${owner.userId} and k.organization_id is null`
    : sql`k.organization_id = ${owner.organizationId}`

export interface NewKey {
  readonly id: string
  readonly name: string
  /** SHA-256 of the secret. */
  readonly hash: Buffer
  readonly hint: string
  readonly scopes: readonly string[] | null
  readonly ipRanges: readonly string[]
  readonly createdBy: MayAddWayIn
  /** Life, in seconds. */
  readonly seconds: number
  /** Keys that the owner may have. */
  readonly limit: number
}

/** Locks the person, so that their keys are counted one after the other. */
export const lockKeyOwner = (tx: Sql, userId: string) =>
  findOwn(
    tx,
    userId,
    tx`
  select id from users where id = ${userId} for no key update
`,
  )

/** A key of a person, who was locked; false when there are enough of them. */
export function createOwnKey(tx: Sql, key: NewKey): Promise<boolean> {
  const steps = tx`
    room as (
      select ${key.createdBy.userId}::text as user_id, null::text as organization_id
      where (select count(*) from machine_keys where user_id = ${key.createdBy.userId}) < ${key.limit}
    ),
    ${insertKey(tx, key)}
  `
  return isMade(tx, key, steps)
}

/** A key of an organization, which was locked, with the machine user that it acts as; false when there are enough. */
export function createOrganizationKey(tx: Sql, key: NewKey, machine: NewMachine): Promise<boolean> {
  const { organizationId } = machine
  const counted = tx`select count(*) from machine_keys where organization_id = ${organizationId}`
  const steps = tx`
    ${insertMachine(tx, machine, key.createdBy, tx`select where (${counted}) < ${key.limit}`)},
    room as (select id as user_id, ${organizationId}::text as organization_id from machine),
    ${insertKey(tx, key)}
  `
  return isMade(tx, key, steps)
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
      hint: key.hint,
      createdBy: key.createdBy.userId,
      createdAt: byDatabase,
      expiresAt: tx`now() + make_interval(secs => ${key.seconds})`,
      lastUsedAt: byDatabase,
      lastUsedIp: byDatabase,
    })}
    from room
    returning id
  ), secret as (
    insert into machine_key_secrets (hash, key_id) select ${key.hash}, id from key
  )
`

async function isMade(tx: Sql, { id }: NewKey, steps: ReturnType<typeof insertKey>): Promise<boolean> {
  return (await findOwn(tx, id, tx`select id from key`, steps)) !== null
}

export interface Rotation {
  /** Who gets the new secret: a person, or the key itself, which has one already. */
  readonly by: MayAddWayIn | MachineCaller
  readonly hash: Buffer
  readonly hint: string
  /** Seconds for which what it replaces still works. */
  readonly overlap: number
  /** A new life, in seconds; null: it ends when it did. */
  readonly seconds: number | null
}

/**
 * Gives a key, which was locked, a new secret. Those from before end after the overlap, or when they did if that is sooner.
 * False, with nothing to be kept, where its life is over and it gets no new one.
 */
export async function rotateKey(tx: Sql, id: string, { hash, hint, overlap, seconds }: Rotation): Promise<boolean> {
  const steps = tx`
    gone as (
      delete from machine_key_secrets where key_id = ${id} and (ends_at <= now() or ${overlap === 0})
    ), older as (
      update machine_key_secrets set ends_at = least(ends_at, now() + make_interval(secs => ${overlap}))
      where key_id = ${id} and (ends_at is null or ends_at > now()) and ${overlap > 0}
    ), rotated as (
      update machine_keys
      set hint = ${hint}, expires_at = coalesce(now() + make_interval(secs => ${seconds}), expires_at)
      where id = ${id} and (expires_at > now() or ${seconds !== null})
      returning id
    )
  `
  if ((await findOwn(tx, id, tx`select id from rotated`, steps)) === null) return false
  // In a statement of its own: only one secret of a key has no end, and the one before has it by now.
  await tx`insert into machine_key_secrets (hash, key_id) values (${hash}, ${id})`
  return true
}

/** Ends a person's key; one of an organization ends with its machine. False when it had ended already. */
export async function deleteKey(tx: Sql, id: string): Promise<boolean> {
  const { count } = await tx`delete from machine_keys where id = ${id}`
  return count > 0
}

/** Sweeps the secrets whose overlap is over. */
export const deleteEndedSecrets = (sql: Sql, batch: number) => sql`
  delete from machine_key_secrets
  where hash = any(array(
    select hash from machine_key_secrets
    where ends_at <= now()
    order by ends_at
    limit ${batch}
    for update skip locked
  ))
`

/** Days for which an expired key is still listed: whoever looks for why a pipeline fails finds it there. */
const shownFor = 30

/** Sweeps the keys that expired long ago, with the machines that nothing else acts as. */
export const deleteExpiredKeys = (sql: Sql, batch: number) => sql`
  with over as (
    select id, user_id, organization_id from machine_keys
    where expires_at <= now() - make_interval(days => ${shownFor})
    order by expires_at
    limit ${batch}
    for update skip locked
  ),
  machines as (
    delete from users where id = any(array(select user_id from over where organization_id is not null))
      and organization_id is not null
  )
  delete from machine_keys where id = any(array(select id from over))
`
