import type postgres from 'postgres'
import type { Admitted } from '../request/admission.ts'
import type { AuditEvent } from '../request/audit-event.ts'
import type { MayLink } from '../request/way-in.ts'
import { type IdentityKey, insertAccount, type SealedTokens, setTokens } from './accounts.ts'
import { insertAuditEvent } from './audit-events.ts'
import { computed } from './columns.ts'
import type { Sql } from './connect.ts'
import { bindUser } from './device-persons.ts'
import { nullIfTaken } from './identities.ts'
import {
  lockFor,
  lockWaysIn,
  mayMove,
  type OwnerArrival,
  overrideUser,
  type ProfileOverride,
  verifyAddressOf,
  welcomeOwner,
} from './identity-effects.ts'
import { insertNotice, type Notice } from './links.ts'
import { isUnique } from './outage.ts'
import { findOwn } from './own-row.ts'
import { mayEnter, startSession } from './session-start.ts'
import { insertUse, type Use } from './states.ts'
import { transaction } from './transaction.ts'

/** A sign-in by a proven identity. */
interface Entrance {
  readonly key: IdentityKey
  readonly tokens: SealedTokens
  readonly admitted: Admitted
  /** The browser binding of a device request, which the user can then approve. It takes the place of a session. */
  readonly claim: Buffer | null
  /** The single-use proof of the identity. Null when nothing needs to be recorded. */
  readonly use: Use | null
  /** The sign-in event. Null when a device request takes the place of the session. */
  readonly event: AuditEvent | null
  readonly userId: string
}

export interface KnownEntrance extends Entrance {
  readonly keepsTokens: boolean
  /** Null when it would change nothing, or the provider does not prove the mailbox. */
  readonly arrival: OwnerArrival | null
  /** Null: the user's profile stays unchanged. */
  readonly override: ProfileOverride | null
}

/** The result of a sign-in. */
interface Entry {
  /** Ids of the sessions that ended. */
  readonly ended: readonly string[]
  /** Whether the user's address changed. */
  readonly isMoved: boolean
}

/**
 * Signs in the user of a known identity and stores the provider's new data. Null, with nothing done, when the account
 * or its user changed meanwhile. If another user takes the new address first, this one signs in with the old address.
 */
export async function enterKnown(sql: Sql, entrance: KnownEntrance): Promise<Entry | null> {
  const { override } = entrance
  try {
    return await enterKnownOnce(sql, entrance)
  } catch (error) {
    if (!override?.move || !isUnique(error, 'users_email_key')) throw error
    return enterKnownOnce(sql, { ...entrance, override: { ...override, move: null } })
  }
}

const enterKnownOnce = (sql: Sql, entrance: KnownEntrance): Promise<Entry | null> =>
  entrance.arrival
    ? transaction(sql, async (tx) => {
        await lockWaysIn(tx, entrance.userId)
        return enterAsKnown(tx, entrance)
      })
    : enterAsKnown(sql, entrance)

function enterAsKnown(sql: Sql, entrance: KnownEntrance): Promise<Entry | null> {
  const { userId, override, arrival } = entrance
  const kept = keepAccount(sql, entrance)
  return enter(
    sql,
    entrance,
    sql`
      owner as (
        select u.id, u.email, u.email_verified from users u where u.id = ${userId} and ${mayEnter(sql, entrance.admitted)} ${arrival ? sql`for update` : lockFor(sql, override)}
      ),
      allowed as (${kept})
      ${override ? sql`, ${overrideUser(sql, override, arrival ? isOwner(sql, arrival, null) : sql`false`)}` : sql``}
      ${arrival ? sql`, ${arrivalSteps(sql, arrival, entrance)}` : sql``}
    `,
    override ? sql`exists (select from moved)` : sql`false`,
  )
}

/** Updates the account of `owner` with new tokens and proofs. */
function keepAccount(sql: Sql, { key, tokens, keepsTokens, override, arrival }: KnownEntrance) {
  const own = sql`
    a.id = ${tokens.id} and a.user_id = o.id and a.provider_id = ${key.providerId} and a.account_id = ${key.accountId}
  `
  const changes = [
    ...(keepsTokens ? [setTokens(sql, tokens)] : []),
    ...(arrival ? [setProof(sql, arrival, isOwner(sql, arrival, override))] : []),
  ]
  const wayIn = sql`a.user_id as id, a.id as account_id, a.proven_email`
  return changes.length > 0
    ? sql`update accounts a set ${listOf(sql, changes)} from owner o where ${own} returning ${wayIn}`
    : sql`select ${wayIn} from accounts a, owner o where ${own} for share of a`
}

/** With an override, the update of the user's row verifies the address as well. */
function arrivalSteps(sql: Sql, arrival: OwnerArrival, { override, tokens }: KnownEntrance) {
  const owners = sql`select o.id from owner o join allowed using (id) where ${isOwner(sql, arrival, override)}`
  return sql`
    ${override ? sql`` : sql`${verifyAddressOf(sql, owners)},`}
    ${welcomeOwner(sql, { ...arrival, movedFrom: override?.move?.from ?? null }, owners, tokens.id)}
  `
}

/** Whether the proven address is the user's, or becomes theirs by this very sign-in. */
const isOwner = (sql: Sql, { address }: OwnerArrival, override: ProfileOverride | null) =>
  sql`(o.email = ${address.email} or ${override ? mayMove(sql, override) : sql`false`})`

const setProof = (sql: Sql, { address }: OwnerArrival, condition: postgres.Fragment) => sql`
  mailbox_proof = case when ${condition} then 'provider' else a.mailbox_proof end,
  mailbox_proven_at = case when ${condition} then now() else a.mailbox_proven_at end,
  proven_email = case when ${condition} then ${address.email} else a.proven_email end
`

const listOf = (sql: Sql, [first, ...others]: readonly postgres.Fragment[]) =>
  others.reduce((list, other) => sql`${list}, ${other}`, first ?? sql``)

export interface LinkedEntrance extends Entrance {
  readonly mayLink: MayLink
  /** The proven address by which the user was found. It must still be theirs. */
  readonly arrival: OwnerArrival
  /** The mail that informs the user. */
  readonly notice: Notice
  readonly linkEvent: AuditEvent
}

/**
 * Links an identity to the user with its address, who thereby proves to own it, and signs them in. Also null when
 * another user has taken the identity meanwhile.
 */
export const enterLinked = (sql: Sql, entrance: LinkedEntrance): Promise<Entry | null> =>
  nullIfTaken(() =>
    transaction(sql, async (tx) => {
      await lockWaysIn(tx, entrance.mayLink.userId)
      return enterAsLinked(tx, entrance)
    }),
  )

const enterAsLinked = (sql: Sql, entrance: LinkedEntrance): Promise<Entry | null> =>
  enter(
    sql,
    entrance,
    sql`
        owner as (
          select u.id from users u
          where u.id = ${entrance.mayLink.userId} and u.email = ${entrance.arrival.address.email} and ${mayEnter(sql, entrance.admitted)}
          for no key update
        ),
        linked as (${insertAccount(sql, entrance.key, entrance.tokens, sql`select id, ${entrance.arrival.address.proof}::text as proof, ${entrance.arrival.address.email}::text as proven_email from owner`)}),
        allowed as (select user_id as id, ${entrance.tokens.id}::text as account_id, ${entrance.arrival.address.email}::text as proven_email from linked),
        link_audited as (${insertAuditEvent(sql, entrance.linkEvent, sql`select from linked`)}),
        ${insertNotice(sql, entrance.notice, sql`select id from allowed`)},
        ${verifyAddressOf(sql, sql`select id from allowed`)},
        ${welcomeOwner(sql, entrance.arrival, sql`select id from allowed`, entrance.tokens.id)}
      `,
  )

function enter(
  sql: Sql,
  entrance: Entrance & { readonly arrival: OwnerArrival | null },
  steps: postgres.Fragment,
  isMoved = sql`false`,
): Promise<Entry | null> {
  const { admitted, claim, use, event, arrival } = entrance
  const all = sql`
    ${steps},
    ${startOrBind(sql, admitted, claim, sql`select * from allowed`)}
    ${use ? sql`, used as (${insertUse(sql, use, sql`select from started`)})` : sql``}
    ${event ? sql`, audited as (${insertAuditEvent(sql, event, sql`select from started`)})` : sql``}
  `
  const entry = computed<Entry>(sql, {
    ended: sql`array(select id from ended ${arrival ? sql`union select id from unproven_sessions` : sql``})`,
    isMoved,
  })
  return findOwn(sql, admitted.session.tokenHash, sql<Entry[]>`select ${entry} from started`, all)
}

/**
 * The steps that start a session for the user of `users` (see startSession), or bind the user to a device request when
 * a binding is given.
 */
export const startOrBind = (sql: Sql, admitted: Admitted, claim: Buffer | null, users: postgres.Fragment) =>
  claim
    ? sql`started as (${bindUser(sql, admitted, claim, users)}), ended as (select null as id where false)`
    : startSession(sql, admitted, users)
