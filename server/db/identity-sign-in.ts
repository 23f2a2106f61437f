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

/** A session by a proven identity. */
interface Entrance {
  readonly key: IdentityKey
  readonly tokens: SealedTokens
  readonly admitted: Admitted
  /** In place of the session: the claim of a device sign-in, which the user then may approve. */
  readonly claim: Buffer | null
  /** What proved the identity, where that may be used once; null: nothing that stays. */
  readonly use: Use | null
  /** The sign-in; null where there is none, since a claim stands in for the session. */
  readonly event: AuditEvent | null
  readonly userId: string
}

export interface KnownEntrance extends Entrance {
  readonly keepsTokens: boolean
  /** Null where it would change nothing, or the provider's word proves no mailbox. */
  readonly arrival: OwnerArrival | null
  /** Null: the user stays as it is. */
  readonly override: ProfileOverride | null
}

/** What a sign-in did. */
interface Entry {
  /** Ids of the sessions that ended. */
  readonly ended: readonly string[]
  /** Whether the user has another address now. */
  readonly isMoved: boolean
}

/**
 * Signs the user of a known identity in, and keeps what the provider gave us. Null when the account or its user is no longer
 * what it was: nothing was done. Who loses the race for a new address signs in with the old one.
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

/** Keeps the account of `owner` with what is new of it. */
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

/** An override verifies the address along with what else it changes of the user's row. */
function arrivalSteps(sql: Sql, arrival: OwnerArrival, { override, tokens }: KnownEntrance) {
  const owners = sql`select o.id from owner o join allowed using (id) where ${isOwner(sql, arrival, override)}`
  return sql`
    ${override ? sql`` : sql`${verifyAddressOf(sql, owners)},`}
    ${welcomeOwner(sql, { ...arrival, movedFrom: override?.move?.from ?? null }, owners, tokens.id)}
  `
}

/** Whether the proven address is the user's, or takes its place by this very sign-in. */
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
  /** The proven address that made them meet: still the user's. */
  readonly arrival: OwnerArrival
  /** Tells the user. */
  readonly notice: Notice
  readonly linkEvent: AuditEvent
}

/**
 * Links an identity to the user with its address, whose owner so arrives, and signs them in. Null too when somebody else has
 * the identity by now.
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

/** The steps that begin a session for the user of `users` (see startSession); with a claim they bind the user to it instead. */
export const startOrBind = (sql: Sql, admitted: Admitted, claim: Buffer | null, users: postgres.Fragment) =>
  claim
    ? sql`started as (${bindUser(sql, admitted, claim, users)}), ended as (select null as id where false)`
    : startSession(sql, admitted, users)
