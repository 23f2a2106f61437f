import type { AuditEventName } from '../../shared/audit-events.ts'
import type { AdmittedSession } from '../request/admission.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent } from './audit-events.ts'
import { afterStep, findRow, getRow } from './checked-row.ts'
import type { Sql } from './connect.ts'
import { type CountResult, countUses, type Limits } from './limits.ts'
import { isAdmissible, isBannedNow } from './session-start.ts'

type DeviceStatus = 'pending' | 'approved' | 'denied'

/** The details of a request that the browser bound to it sees. */
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

/**
 * The browser that looks at a request: the digest of its binding, and the session whose user is bound along, if any.
 */
export interface DeviceRequestViewer {
  readonly claim: Buffer | null
  /** The binding that the same browser already had. */
  readonly before: Buffer | null
  readonly sessionId: string | null
  /** Whether link requests are shown too. Applications' own pages know only sign-ins. */
  readonly isOwnPage?: boolean
}

/** A look-up by a typed code. The event is for a code that was never issued. */
export interface UserCodeLookUp extends DeviceRequestViewer {
  readonly event: PendingAuditEvent
}

export type UserCodeResult = CountResult &
  (MatchedDeviceRequest | (Nulls<MatchedDeviceRequest> & { readonly id: null }))
interface MatchedDeviceRequest extends DeviceDetails {
  readonly status: DeviceStatus
  readonly isExpired: boolean
  readonly isClaimed: boolean
  /** Whether the request is bound to this browser, since now or before. */
  readonly isOwn: boolean
  /** Whether it is the binding from before. */
  readonly isSame: boolean
}

/**
 * Counts the attempt, finds the request of a user code, and binds it to the browser unless another browser has it: of
 * several at once, the row lock lets one through. The user of the browser's session is bound to the request too, except
 * in an impersonation. The user's row is locked before the request, as everywhere.
 */
export function bindDeviceRequestToBrowser(sql: Sql, userCodeMac: Buffer, look: UserCodeLookUp, limits: Limits) {
  const { claim, before, sessionId, isOwnPage = false, event } = look
  const isWrong = sql`select from counted where refused_for is null and not exists (select from asked)`
  const steps = sql`
    ${countUses(sql, limits)},
    owner as (${userOfSession(sql, sessionId)}),
    asked as (
      select ${details(sql)}, r.status, r.claim, r.expires_at from counted c
      join device_requests r on c.refused_for is null and r.user_code_mac = ${userCodeMac}
        and (r.linker_id is null or ${isOwnPage})
      where ${afterStep(sql, 'owner')}
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
  return getRow<UserCodeResult>(sql, userCodeMac, found, steps)
}

/** The locks wait for a password change in progress, which may end the session. */
const userOfSession = (sql: Sql, sessionId: string | null) => sql`
  select u.id, s.authenticated_at, s.account_id, s.proven_email from sessions s
  join users u on u.id = s.user_id and not ${isBannedNow(sql)}
  where s.id = ${sessionId} and s.expires_at > now() and s.impersonated_by is null
  for share of u
  for key share of s
`

/** A request bound to a browser, as its page shows it. */
export interface BrowserBoundRequest extends DeviceDetails {
  readonly status: DeviceStatus
  readonly isExpired: boolean
  /** Seconds since the request was made. */
  readonly age: number
  readonly provider: string | null
  /** Where the browser is redirected afterwards, to the requesting device. Null when it stays here. */
  readonly redirectUri: string | null
  readonly redirectState: string | null
  /** The user who approves. Null until somebody has proved who they are. */
  readonly userId: string | null
  readonly email: string | null
  readonly name: string | null
  /** The user to whom the account will be linked. Null when the request is a sign-in. */
  readonly linkerId: string | null
  readonly linkerEmail: string | null
  readonly linkerAddressProven: boolean | null
}

export const findBrowserBoundRequest = (sql: Sql, claim: Buffer) =>
  findRow<BrowserBoundRequest>(
    sql,
    claim,
    sql`
      select ${details(sql)}, r.status, r.provider, r.user_id, r.expires_at <= now() as is_expired, r.redirect_uri, r.redirect_state,
        extract(epoch from now() - r.created_at)::float8 as age, u.email, u.name, r.linker_id, l.email as linker_email,
        coalesce(ls.proven_email = l.email, false) as linker_address_proven
      from device_requests r
      left join users u on u.id = r.user_id
      left join users l on l.id = r.linker_id
      left join sessions ls on ls.id = r.linker_session_id
      where r.claim = ${claim}
      limit 1
    `,
  )

/**
 * Binds the user of a live session to the browser's request while that is open. False when there is no such session or
 * request.
 */
export async function bindSessionUser(sql: Sql, claim: Buffer, sessionId: string): Promise<boolean> {
  const steps = sql`
    owner as (${userOfSession(sql, sessionId)}),
    bound as (
      update device_requests r
      set user_id = o.id, proven_at = o.authenticated_at, account_id = o.account_id, proven_email = o.proven_email
      from owner o
      where ${isPendingInBrowser(sql, claim)}
      returning r.id
    )
  `
  return (await findRow(sql, claim, sql`select id from bound`, steps)) !== null
}

/** The condition for a browser's request that waits for a decision. */
export const isPendingInBrowser = (sql: Sql, claim: Buffer) => sql`
  r.claim = ${claim} and r.status = 'pending' and r.expires_at > now()
`

/** Where a decided request redirects the browser. The redirect fields are null when there is no redirect. */
export interface DecidedRequest {
  readonly userId: string | null
  /** Whether the request was to link an account at a provider. */
  readonly isLink: boolean
  readonly redirectUri: string | null
  readonly redirectState: string | null
}

export interface DeviceDecision {
  readonly claim: Buffer
  /** Which of the session's requests. Null: the only one bound to the browser. */
  readonly userCodeMac: Buffer | null
  readonly status: 'approved' | 'denied'
  /** The user who was shown as approving: nobody else may have been bound meanwhile. */
  readonly userId: string | null
  /**
   * The gate's admission of the approving user, since nobody may approve who would get no session. Null when the
   * request is denied.
   */
  readonly admitted: AdmittedSession | null
  /** Whether the provider refused the link. */
  readonly isByProvider?: boolean
  /** Whether the link needed a fresh session, and the one that asked was not. */
  readonly isStale?: boolean
  /** Digest of the code that the browser takes to the requesting device. */
  readonly redirectCodeHash: Buffer
  readonly event: PendingAuditEvent
  /** The event's name for a link. */
  readonly linkName: AuditEventName
}

/**
 * Decides a request once, and only for its own browser or session. Null when it is over, belongs to another one, or has
 * another user.
 */
export function decideDeviceRequest(sql: Sql, decision: DeviceDecision): Promise<DecidedRequest | null> {
  const { claim, userCodeMac, status, userId, admitted, redirectCodeHash, event, linkName } = decision
  const { isByProvider = false, isStale = false } = decision
  const steps = sql`
    decided as (
      update device_requests r
      set status = ${status}, is_denied_by_provider = ${isByProvider}, is_denied_as_stale = ${isStale},
        redirect_code_hash = case when r.redirect_uri is not null then ${redirectCodeHash}::bytea end
      where ${isPendingInBrowser(sql, claim)}
        and r.user_code_mac = coalesce(${userCodeMac}::bytea, r.user_code_mac)
        and ${admitted ? sql`r.user_id = ${userId} and r.linker_id is null and ${isAdmitted(sql, admitted)}` : sql`true`}
      returning coalesce(r.user_id, r.linker_id) as user_id, r.linker_id is not null as is_link, r.redirect_uri,
        r.redirect_state
    ),
    audited as (${insertAuditEvent(sql, event, sql`select user_id, is_link from decided`, {
      name: sql`case when told.is_link then ${linkName} else ${event.name} end`,
      userId: sql`told.user_id`,
    })})
  `
  return findRow<DecidedRequest>(
    sql,
    claim,
    sql`select user_id, is_link, redirect_uri, redirect_state from decided`,
    steps,
  )
}

/** The address of the approving user, if nothing but its verification is missing for this approval. Null otherwise. */
export async function findUnverifiedApprover(
  sql: Sql,
  { claim, userCodeMac, userId }: Pick<DeviceDecision, 'claim' | 'userCodeMac' | 'userId'>,
): Promise<string | null> {
  const found = sql`
    select u.email from device_requests r
    join users u on u.id = r.user_id and not u.email_verified and not ${isBannedNow(sql)}
    where ${isPendingInBrowser(sql, claim)}
      and r.user_code_mac = coalesce(${userCodeMac}::bytea, r.user_code_mac)
      and r.user_id = ${userId} and r.linker_id is null
  `
  return (await findRow<{ email: string }>(sql, claim, found))?.email ?? null
}

const isAdmitted = (sql: Sql, admitted: AdmittedSession) =>
  sql`exists (select from users u where u.id = r.user_id and ${isAdmissible(sql, admitted)})`
