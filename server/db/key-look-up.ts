import { FullUser } from '../../shared/entities.ts'
import { getRow } from './checked-row.ts'
import { columnsOf, combineColumns, computedColumns, nullableColumns } from './columns.ts'
import type { Sql } from './connect.ts'
import { isSponsored } from './organization-actors.ts'
import { standbyError } from './outage.ts'

/** A live key and the user it acts as. */
export interface FoundKey {
  readonly user: FullUser
  readonly keyId: string
  readonly organizationId: string | null
  readonly scopes: readonly string[] | null
  readonly ipRanges: readonly string[]
  readonly rotatesItself: boolean
  /** False for a machine without an active member who is responsible for it. */
  readonly isSponsored: boolean
  readonly keyCreatedAt: Date
  readonly keyExpiresAt: Date
  /** Seconds until it expires. */
  readonly remaining: number
  /** Whether the use of the key should be recorded again. */
  readonly isUseDue: boolean
}

/** Seconds between two records of a key's use. */
const recordInterval = 60

/** Finds a live key by its secret. Banned users have none, nor has a machine that is no longer a member. */
export async function findKeyBySecret(sql: Sql, hash: Buffer): Promise<FoundKey | null> {
  const known = computedColumns<Omit<FoundKey, 'user'> & { readonly isStandby: boolean }>(sql, {
    isStandby: sql`pg_is_in_recovery()`,
    keyId: 'k.id',
    organizationId: 'k.organizationId',
    scopes: 'k.scopes',
    ipRanges: 'k.ipRanges',
    rotatesItself: 'k.rotatesItself',
    isSponsored: sql`k.organization_id is null or ${isSponsored(sql)}`,
    keyCreatedAt: 'k.createdAt',
    keyExpiresAt: 'k.expiresAt',
    remaining: sql`floor(extract(epoch from k.expires_at - now()))::integer`,
    isUseDue: sql`${isUseRecorded(sql)} is not true`,
  })
  const found = sql`
    select ${nullableColumns(combineColumns(sql, known, columnsOf(sql, FullUser, 'u')))}
    from (select) one
    left join (
      machine_key_secrets s
      join machine_keys k on k.id = s.key_id and k.expires_at > now()
      join users u on u.id = k.user_id and (u.banned is not true or u.ban_expires <= now())
    ) on s.hash = ${hash} and (s.ends_at is null or s.ends_at > now()) and (
      k.organization_id is null
      or exists (select from members m where m.organization_id = k.organization_id and m.user_id = k.user_id)
    )
  `
  const { isStandby, ...row } = await getRow(sql, hash, found)
  if (isStandby) throw standbyError()
  if (row.keyId === null) return null
  const { keyId, organizationId, scopes, ipRanges, rotatesItself, isSponsored: hasSponsor, ...others } = row
  const { isUseDue, keyCreatedAt, keyExpiresAt, remaining, ...user } = others
  const times = { isUseDue, keyCreatedAt, keyExpiresAt, remaining }
  return { user, keyId, organizationId, scopes, ipRanges, rotatesItself, isSponsored: hasSponsor, ...times }
}

const isUseRecorded = (sql: Sql) => sql`(k.last_used_at > now() - make_interval(secs => ${recordInterval}))`

/** Records that a key is used and from where, unless that was recorded a short while ago. */
export const recordKeyUse = (sql: Sql, id: string, address: string) => sql`
  update machine_keys k set last_used_at = now(), last_used_ip = ${address}
  where id = ${id} and ${isUseRecorded(sql)} is not true
`
