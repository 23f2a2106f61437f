import type { AuditEventName } from '../../shared/audit-events.ts'
import type { Admitted } from '../request/admission.ts'
import type { AuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent } from './audit-events.ts'
import type { Sql } from './connect.ts'
import { type CountResult, countUse, type Limits } from './limits.ts'
import { findOwn, getOwn, isDone } from './own-row.ts'
import { banHolds, mayEnter } from './session-start.ts'

type DeviceStatus = 'pending' | 'approved' | 'denied'

/** What is told of a request to who claimed it. */
interface DeviceDetails {
  readonly id: string
  readonly clientId: string
  readonly scope: string
  readonly ipAddress: string
  readonly userAgent: string
  readonly label: string | null
  readonly createdAt: Date
}

const details = (sql: Sql) => sql`r.id, r.client_id, r.scope, r.ip_address, r.user_agent, r.label, r.created_at`

type Nulls<T> = { readonly [K in keyof T]: null }

/** Who looks: the digest of the claim, and the session whose user is bound to it, if there is one. */
export interface Viewer {
  readonly claim: Buffer | null
  /** The claim that the same browser has from before. */
  readonly before: Buffer | null
  readonly sessionId: string | null
  /** Whether a link is shown too: pages of applications know of sign-ins only. */
  readonly isOwnPage?: boolean
}

/** A look with a typed code; the event is for a code that nobody was given. */
export interface TypedLook extends Viewer {
  readonly event: AuditEvent
}

export type Look = CountResult & (LookedAt | (Nulls<LookedAt> & { readonly id: null }))
interface LookedAt extends DeviceDetails {
  readonly status: DeviceStatus
  readonly isExpired: boolean
  readonly isClaimed: boolean
  /** Whether this viewer has the claim, since now or since before. */
  readonly isOwn: boolean
  /** Whether it is the claim of before. */
  readonly isSame: boolean
}

/**
 * Counts the try, finds the request of a user code, and claims it for the viewer where nobody has: of several at once the
 * row's lock lets one. The user of the viewer's session is bound to the claim, unless that session is an administrator's
 * who acts as the user. The user's row is locked before the request, as everywhere.
 */
export function claimDeviceRequest(sql: Sql, userCodeMac: Buffer, look: TypedLook, limits: Limits) {
  const { claim, before, sessionId, isOwnPage = false, event } = look
  const isWrong = sql`select from counted where refused_for is null and not exists (select from asked)`
  const steps = sql`
    ${countUse(sql, limits)},
    owner as (${ownerOf(sql, sessionId)}),
    asked as (
      select ${details(sql)}, r.status, r.claim, r.expires_at from counted c
      join device_requests r on c.refused_for is null and r.user_code_mac = ${userCodeMac}
        and (r.linker_id is null or ${isOwnPage})
      where ${isDone(sql, 'owner')}
      for update of r
    ),
    claimed as (
      update device_requests r
      set claim = ${claim}, user_id = o.id, proven_at = o.authenticated_at, account_id = o.account_id,
        proven_email = o.proven_email
      from asked a left join owner o on true
      where r.id = a.id and a.claim is null and a.status = 'pending' and a.expires_at > now() and ${claim}::bytea is not null
      returning r.id
    ),
    audited as (${insertAuditEvent(sql, event, isWrong)})
  `
  const found = sql`
    select c.refused_for, a.id, a.client_id, a.scope, a.ip_address, a.user_agent, a.label, a.created_at, a.status,
      a.expires_at <= now() as is_expired, a.claim is not null or exists (select from claimed) as is_claimed,
      coalesce(a.claim in (${claim}, ${before}), false) or exists (select from claimed) as is_own,
      coalesce(a.claim = ${before}, false) as is_same
    from counted c left join asked a on true
  `
  return getOwn<Look>(sql, userCodeMac, found, steps)
}

/** The locks make it wait for a new password under way, which may end the session. */
const ownerOf = (sql: Sql, sessionId: string | null) => sql`
  select u.id, s.authenticated_at, s.account_id, s.proven_email from sessions s
  join users u on u.id = s.user_id and not ${banHolds(sql)}
  where s.id = ${sessionId} and s.expires_at > now() and s.impersonated_by is null
  for share of u
  for key share of s
`

/** A claimed request as its page shows it. */
export interface ClaimedRequest extends DeviceDetails {
  readonly status: DeviceStatus
  readonly isExpired: boolean
  /** Seconds since it was made. */
  readonly age: number
  readonly provider: string | null
  /** Whether the browser is led to a page of the asking machine afterwards. */
  readonly isLedBack: boolean
  /** Who approves; null until somebody proved who they are. */
  readonly userId: string | null
  readonly email: string | null
  readonly emailVerified: boolean | null
  readonly name: string | null
  /** To whom an account shall be linked; null: a sign-in is asked for. */
  readonly linkerId: string | null
  readonly linkerEmail: string | null
  readonly linkerAddressProven: boolean | null
}

export const findClaimedRequest = (sql: Sql, claim: Buffer) =>
  findOwn<ClaimedRequest>(
    sql,
    claim,
    sql`
      select ${details(sql)}, r.status, r.provider, r.user_id, r.expires_at <= now() as is_expired, r.redirect_uri is not null as is_led_back,
        extract(epoch from now() - r.created_at)::float8 as age, u.email, u.email_verified, u.name, r.linker_id, l.email as linker_email,
        coalesce(ls.proven_email = l.email, false) as linker_address_proven
      from device_requests r
      left join users u on u.id = r.user_id
      left join users l on l.id = r.linker_id
      left join sessions ls on ls.id = r.linker_session_id
      where r.claim = ${claim}
      limit 1
    `,
  )

/** Binds the user of a live session to a claim that is still open; false when there is no such session or claim. */
export async function bindSessionUser(sql: Sql, claim: Buffer, sessionId: string): Promise<boolean> {
  const steps = sql`
    owner as (${ownerOf(sql, sessionId)}),
    bound as (
      update device_requests r
      set user_id = o.id, proven_at = o.authenticated_at, account_id = o.account_id, proven_email = o.proven_email
      from owner o
      where ${isOpen(sql, claim)}
      returning r.id
    )
  `
  return (await findOwn(sql, claim, sql`select id from bound`, steps)) !== null
}

/** Of a claim that waits for a decision. */
export const isOpen = (sql: Sql, claim: Buffer) => sql`
  r.claim = ${claim} and r.status = 'pending' and r.expires_at > now()
`

/** Where a decided request leads the browser; nulls where it leads nowhere. */
export interface DecidedRequest {
  readonly userId: string | null
  /** An account at a provider was to be linked. */
  readonly isLink: boolean
  readonly clientId: string
  readonly redirectUri: string | null
  readonly redirectState: string | null
}

export interface Decision {
  readonly claim: Buffer
  /** Which of the requests of a session; null: the only one of a browser's claim. */
  readonly userCodeMac: Buffer | null
  readonly status: 'approved' | 'denied'
  /** Who was shown to approve: nobody else may have been bound meanwhile. */
  readonly userId: string | null
  /** Whom the gate lets approve: nobody who would get no session by it. Null: it is denied. */
  readonly admitted: Admitted | null
  /** The provider said no, to whom the browser was led for a link. */
  readonly isByProvider?: boolean
  /** The session that asked for a link is not fresh, and the link needed that. */
  readonly isStale?: boolean
  /** Of the code that the browser takes to the asking machine. */
  readonly redirectCodeHash: Buffer
  readonly event: AuditEvent
  /** What the event is called where it is about a link. */
  readonly linkName: AuditEventName
}

/** Decides a request once, in its claim alone; null when that is over, somebody else's, or has another user. */
export function decideDeviceRequest(sql: Sql, decision: Decision): Promise<DecidedRequest | null> {
  const { claim, userCodeMac, status, userId, admitted, redirectCodeHash, event, linkName } = decision
  const { isByProvider = false, isStale = false } = decision
  const steps = sql`
    decided as (
      update device_requests r
      set status = ${status}, is_denied_by_provider = ${isByProvider}, is_denied_as_stale = ${isStale},
        redirect_code_hash = case when r.redirect_uri is not null then ${redirectCodeHash}::bytea end
      where ${isOpen(sql, claim)}
        and r.user_code_mac = coalesce(${userCodeMac}::bytea, r.user_code_mac)
        and ${admitted ? sql`r.user_id = ${userId} and r.linker_id is null and ${isAdmitted(sql, admitted)}` : sql`true`}
      returning coalesce(r.user_id, r.linker_id) as user_id, r.linker_id is not null as is_link, r.client_id,
        r.redirect_uri, r.redirect_state
    ),
    audited as (${insertAuditEvent(sql, event, sql`select user_id, is_link from decided`, {
      name: sql`case when told.is_link then ${linkName} else ${event.name} end`,
      userId: sql`told.user_id`,
    })})
  `
  return findOwn<DecidedRequest>(
    sql,
    claim,
    sql`select user_id, is_link, client_id, redirect_uri, redirect_state from decided`,
    steps,
  )
}

const isAdmitted = (sql: Sql, admitted: Admitted) =>
  sql`exists (select from users u where u.id = r.user_id and ${mayEnter(sql, admitted)})`
