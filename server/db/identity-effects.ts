import type postgres from 'postgres'
import type { SealedMail } from '../mail/outbox.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import type { ProvenAddress } from '../request/proven-address.ts'
import { insertAuditEvent } from './audit-events.ts'
import type { Sql } from './connect.ts'
import { insertNotice, type Notice } from './links.ts'
import { deletePersonalKeys, endActedAs, endActing, isKeptByEndActedAs } from './user-sessions.ts'

/**
 * A sign-in that proves the owner of a mailbox, through a provider that the settings trust. It ends what others began
 * without proving the mailbox.
 */
export interface MailboxOwnerSignIn {
  readonly address: ProvenAddress
  /** Whether the address makes its user an administrator. */
  readonly becomesAdmin: boolean
  /** Informs the owner which sign-in methods ended. */
  readonly mail: SealedMail
  readonly event: PendingAuditEvent
  /** Whether nobody had proved the mailbox before, so that nothing begun so far is the owner's. */
  readonly endsAll: boolean
}

/** The step that verifies the address of the users whose `id` the rows of `owners` yield. */
export const verifyAddressStep = (sql: Sql, owners: postgres.Fragment) => sql`
  verified as (
    update users u set email_verified = true, updated_at = now() from (${owners}) o
    where u.id = o.id and not u.email_verified
  )
`

/**
 * The steps that a proven owner adds to the sign-in, for the users whose `id` the rows of `owners` yield. They end
 * every sign-in method except the account `kept` that never proved the mailbox, with its sessions. Then they delete the
 * user's own keys, device requests and mailed links, which the holder of such a method may have made. `movedFrom`: the
 * old address when the sign-in replaces it; its proofs carry over. `unproven_sessions` holds the ids of ended sessions.
 */
export const removeUnprovenAccess = (
  sql: Sql,
  signIn: MailboxOwnerSignIn & { readonly movedFrom?: string | null },
  owners: postgres.Fragment,
  kept: string,
) => {
  const { address, becomesAdmin, mail, event, movedFrom = null, endsAll } = signIn
  const isStray = (email: postgres.Fragment) =>
    sql`(${email} is distinct from ${address.email} and ${email} is distinct from ${movedFrom ?? address.email})`
  return sql`
    arrived as (${owners}),
    outdated_proofs as (
      delete from verifications v using arrived o
      where v.user_id = o.id and (v.identifier like 'verify-email:%' or v.identifier like 'sign-up:%')
    ),
    unproven as (
      delete from accounts a using arrived o
      where a.user_id = o.id and ${isStray(sql`a.proven_email`)} and a.id <> ${kept}
      returning a.user_id as id
    ),
    ${carryProofs(sql, signIn, movedFrom, kept)},
    unproven_sessions as (
      delete from sessions s using arrived o
      where s.user_id = o.id and ${isStray(sql`s.proven_email`)} and s.account_id is distinct from ${kept}
        and s.impersonated_by is null
      returning s.id, s.user_id
    ),
    owners_acted_as as (${endActedAs(sql, becomesAdmin, sql`select id from arrived`)}),
    ${removeUnprovenBelongings(sql, mail, event, endsAll)}
  `
}

/** What proved the old address proves the new one, except the account `kept`, which this sign-in proves by itself. */
const carryProofs = (
  sql: Sql,
  { address, becomesAdmin }: MailboxOwnerSignIn,
  movedFrom: string | null,
  kept: string,
) => sql`
  carried_proofs as (
    update accounts a set proven_email = ${address.email} from arrived o
    where a.user_id = o.id and a.proven_email = ${movedFrom} and a.id <> ${kept}
  ),
  carried_sessions as (
    update sessions s set proven_email = ${address.email} from arrived o
    where s.user_id = o.id and s.proven_email = ${movedFrom} and ${isKeptByEndActedAs(sql, becomesAdmin)}
  )
`

/** Deletes what the holder of an ended sign-in method may have made, and informs the owner by mail. */
const removeUnprovenBelongings = (sql: Sql, mail: SealedMail, event: PendingAuditEvent, endsAll: boolean) => sql`
  freed as (
    select o.id, (select count(*) from unproven) as count from arrived o
    where ${endsAll} or exists (select from unproven) or exists (select from unproven_sessions)
  ),
  unproven_devices as (delete from device_requests r using freed f where r.user_id = f.id),
  unproven_keys as (${deletePersonalKeys(sql, sql`select id from freed`)}),
  unproven_links as (delete from verifications v using freed f where v.user_id = f.id),
  arrival_mail as (
    insert into outbox (id, kind, payload, user_id) select ${mail.id}, ${mail.kind}, ${mail.payload}, id from freed
  ),
  arrival_audited as (${insertAuditEvent(sql, event, sql`select count from freed`, {
    details: sql`jsonb_build_object('count', told.count)`,
  })})
`

/** A provider's profile of a user who just signed in, which replaces ours. */
export interface ProfileOverride {
  /** Null when the provider gives no name, so that ours stays. */
  readonly name: string | null
  readonly image: string | null
  /** The provider could not be asked for the picture, so that ours stays. */
  readonly keepsImage: boolean
  readonly email: string
  /** Null when the address must not replace the user's. */
  readonly move: AddressReplacement | null
}

interface AddressReplacement {
  /** The user's address when it was read. */
  readonly from: string
  /** The notice to the old address. */
  readonly notice: Notice
  /** Ends the user's impersonations of others, since the right to them came from the old address. */
  readonly endsActing: boolean
  /** Whether the new address makes the user an administrator. */
  readonly becomesAdmin: boolean
  /**
   * Locks, and returns whether the user is the last administrator, by the old address alone, and so has to keep it.
   * Null when the address makes no difference to that.
   */
  readonly lockLastAdmin: ((tx: Sql) => Promise<boolean>) | null
  readonly event: PendingAuditEvent
}

/**
 * Takes the strongest lock that later steps need right away: two sign-ins that both held a shared lock would deadlock.
 */
export const overrideLock = (sql: Sql, override: ProfileOverride | null) => {
  if (!override) return sql`for key share`
  return override.move ? sql`for update` : sql`for no key update`
}

/**
 * Common table expressions that replace the profile of the user whom `owner` locked and `allowed` yields. `moved` holds
 * users whose address changed, which deletes all their mailed tokens, as elsewhere, and `acted` the ids of sessions
 * that end with it. `isOwner`: whether the sign-in of `owner` proved the address. Unchanged values are not written.
 */
export const overrideUser = (
  sql: Sql,
  { name, image, keepsImage, email, move }: ProfileOverride,
  isOwner: postgres.Fragment,
) => sql`
  told as materialized (
    select o.id, ${canReplaceAddress(sql, { email, move })} as is_moved, ${isOwner} and not o.email_verified as is_raised
    from owner o join allowed a on a.id = o.id
  ),
  overridden as (
    update users u set
      name = coalesce(${name}, u.name),
      image = case when ${keepsImage} then u.image else ${image} end,
      email = case when t.is_moved then ${email} else u.email end,
      email_verified = u.email_verified or t.is_moved or t.is_raised,
      updated_at = now()
    from told t
    where u.id = t.id and (
      t.is_moved or t.is_raised or u.name <> coalesce(${name}, u.name) or not ${keepsImage} and u.image is distinct from ${image}
    )
    returning u.id, t.is_moved
  ),
  moved as (select id from overridden where is_moved),
  outdated as (
    delete from verifications v using moved m where v.user_id = m.id
  ),
  acted as (${endActing(sql, move?.endsActing ?? false, sql`select id from moved`)}),
  acted_as as (${endActedAs(sql, move?.becomesAdmin ?? false, sql`select id from moved`)})
  ${
    move
      ? sql`, ${insertNotice(sql, move.notice, sql`select id from moved`)},
          move_audited as (${insertAuditEvent(sql, move.event, sql`select from moved`)})`
      : sql``
  }
`

/**
 * Whether the address can change: only from the one that the notice goes to. The unique key decides when another user
 * takes the new address at the same moment.
 */
export const canReplaceAddress = (sql: Sql, { email, move }: Pick<ProfileOverride, 'email' | 'move'>) =>
  move ? sql`(o.email = ${move.from} and not exists (select from users u where u.email = ${email}))` : sql`false`
