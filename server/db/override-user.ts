import type { AuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent } from './audit-events.ts'
import type { Sql } from './connect.ts'
import { insertNotice, type Notice } from './links.ts'

/** What a provider says of a user that it has just signed in, to be put in place of ours. */
export interface ProfileOverride {
  /** Null where the provider tells none: then ours stays. */
  readonly name: string | null
  readonly image: string | null
  readonly email: string
  /** Null where the address may not replace the user's. */
  readonly move: AddressMove | null
}

interface AddressMove {
  /** What the user's address was when it was looked at. */
  readonly from: string
  /** To the old address. */
  readonly notice: Notice
  readonly event: AuditEvent
}

/** As strong as what follows, from the start: two sign-ins that both held a shared lock would wait for each other. */
export const lockFor = (sql: Sql, override: ProfileOverride | null) => {
  if (!override) return sql`for key share`
  return override.move ? sql`for update` : sql`for no key update`
}

/**
 * Common table expressions that replace the profile of the user whom `owner` locked and `allowed` yields; `moved` has those
 * with a new address, which ends every mailed token of the user, as elsewhere. `isOwner`: whether the sign-in of `owner`
 * proved the address. What is so already is not written.
 */
export const overrideUser = (sql: Sql, { name, image, email, move }: ProfileOverride, isOwner = sql`false`) => sql`
  told as materialized (
    select o.id, ${mayMove(sql, { email, move })} as is_moved, ${isOwner} and not o.email_verified as is_raised
    from owner o join allowed a on a.id = o.id
  ),
  overridden as (
    update users u set
      name = coalesce(${name}, u.name),
      image = ${image},
      email = case when t.is_moved then ${email} else u.email end,
      email_verified = u.email_verified or t.is_moved or t.is_raised,
      updated_at = now()
    from told t
    where u.id = t.id and (
      t.is_moved or t.is_raised or u.name <> coalesce(${name}, u.name) or u.image is distinct from ${image}
    )
    returning u.id, t.is_moved
  ),
  moved as (select id from overridden where is_moved),
  outdated as (
    delete from verifications v using moved m where v.user_id = m.id
  )
  ${
    move
      ? sql`, ${insertNotice(sql, move.notice, sql`select id from moved`)},
          move_audited as (${insertAuditEvent(sql, move.event, sql`select from moved`)})`
      : sql``
  }
`

/** Only from the address that the notice goes to. Somebody who takes the new one at this very moment is left to the unique key. */
export const mayMove = (sql: Sql, { email, move }: Pick<ProfileOverride, 'email' | 'move'>) =>
  move ? sql`(o.email = ${move.from} and not exists (select from users u where u.email = ${email}))` : sql`false`
