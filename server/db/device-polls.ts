import type { AdmittedSession } from '../request/admission.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { type StoredAccount, storedAccount } from './accounts.ts'
import { insertAuditEvent } from './audit-events.ts'
import { findRow } from './checked-row.ts'
import type { Sql } from './connect.ts'
import { isAdmissible, startSession } from './session-start.ts'

/** A poll with digests of the secrets that the device presents. */
export interface DevicePoll {
  readonly deviceCodeHash: Buffer
  readonly clientId: string
  /** Digest of the PKCE verifier; null without one. */
  readonly codeChallenge: string | null
  /** Digest of the code from the redirect; null without one. */
  readonly redirectCodeHash: Buffer | null
  /** The session that asked for a link. Null for a sign-in. */
  readonly linkerSessionId: string | null
}

export type DevicePollOutcome =
  | 'other-client'
  | 'wrong-verifier'
  | 'too-soon'
  | 'expired'
  | 'pending'
  | 'denied'
  | 'denied-by-provider'
  | 'denied-as-stale'
  | 'wrong-code'
  | 'approved'

/**
 * Seconds added for each poll that comes too soon (RFC 8628, 3.5), and the maximum, so that a hasty client does not
 * lock itself out.
 */
const intervalStep = 5
const maxInterval = 60

/**
 * Answers every poll that gets no session, in one statement. Null for an unknown code. The row is locked, so only one
 * of several concurrent polls is on time. A finished request is reported once and then deleted. Until the client
 * presents the code from the redirect, an approved request still looks undecided. `denied` is written where the request
 * was denied.
 */
export async function pollDeviceRequest(
  sql: Sql,
  poll: DevicePoll,
  denied?: PendingAuditEvent,
): Promise<DevicePollOutcome | null> {
  const { deviceCodeHash } = poll
  const steps = sql`
    asked as (
      select id, ${outcomeOf(sql, poll)} as outcome from device_requests
      where device_code_hash = ${deviceCodeHash} and linker_session_id is not distinct from ${poll.linkerSessionId}
      for update
    ),
    noted as (
      update device_requests r
      set last_polled_at = case when a.outcome = 'too-soon' then r.last_polled_at else now() end,
        poll_interval = case when a.outcome = 'too-soon' then least(r.poll_interval + ${intervalStep}, ${maxInterval}) else r.poll_interval end
      from asked a
      where r.id = a.id
        and (a.outcome = 'pending' or a.outcome = 'too-soon' and r.poll_interval < ${maxInterval})
    ),
    gone as (delete from device_requests r using asked a where r.id = a.id and a.outcome in ('expired', 'denied', 'denied-by-provider', 'denied-as-stale'))
    ${denied ? sql`, audited as (${insertAuditEvent(sql, denied, sql`select from asked where outcome = 'denied'`)})` : sql``}
  `
  const found = await findRow<{ outcome: DevicePollOutcome }>(
    sql,
    deviceCodeHash,
    sql`select outcome from asked`,
    steps,
  )
  return found?.outcome ?? null
}

/**
 * A last poll in the future means that the clock of the database was set back since. The device need not wait until it
 * has caught up. The minute is for polls that began in another order.
 */
const isTooSoon = (sql: Sql) =>
  sql`(last_polled_at + make_interval(secs => poll_interval) > now() and last_polled_at < now() + interval '1 minute')`

const outcomeOf = (sql: Sql, { clientId, codeChallenge, redirectCodeHash }: DevicePoll) => sql`
  case
    when client_id <> ${clientId} then 'other-client'
    when code_challenge is not null and code_challenge is distinct from ${codeChallenge} then 'wrong-verifier'
    when ${isTooSoon(sql)} then 'too-soon'
    when expires_at <= now() then 'expired'
    when status = 'approved' and redirect_code_hash is not null and ${redirectCodeHash}::bytea is null then 'pending'
    when status = 'approved' and redirect_code_hash <> ${redirectCodeHash}::bytea then 'wrong-code'
    when is_denied_by_provider then 'denied-by-provider'
    when is_denied_as_stale then 'denied-as-stale'
    else status
  end
`

export interface DeviceRedemption extends DevicePoll {
  readonly admitted: AdmittedSession
  readonly event: PendingAuditEvent
}

export interface RedeemedDeviceSession {
  readonly userId: string
  readonly scope: string
  /** Ids of the sessions that this sign-in ended. */
  readonly ended: readonly string[]
}

/**
 * Consumes an approved request and starts its session in one statement: a second attempt finds nothing. Also null when
 * the gate no longer lets the user in. The shared lock on the user waits for a password change in progress, which
 * deletes the user's requests. That on the sign-in method reads what it has proved by then; nothing when it is gone.
 */
export function redeemDeviceRequest(sql: Sql, redemption: DeviceRedemption): Promise<RedeemedDeviceSession | null> {
  const { deviceCodeHash, admitted, event } = redemption
  const steps = sql`
    owner as (
      select u.id, r.id as request_id, r.account_id from device_requests r
      join users u on u.id = r.user_id and ${isAdmissible(sql, admitted)}
      where r.device_code_hash = ${deviceCodeHash} and r.linker_id is null
      for share of u
    ),
    way_in as (
      select a.proven_email from owner o join accounts a on a.id = o.account_id for share of a
    ),
    taken as (
      delete from device_requests r using owner o
      where r.id = o.request_id and r.user_id = o.id and r.expires_at > now() and ${outcomeOf(sql, redemption)} = 'approved'
      returning o.id, r.scope, r.proven_at, r.label, r.account_id,
        case when r.account_id is null then r.proven_email else (select proven_email from way_in) end as proven_email
    ),
    ${startSession(sql, admitted, sql`select * from taken`, {
      authenticatedAt: sql`of_user.proven_at`,
      label: sql`of_user.label`,
    })},
    audited as (${insertAuditEvent(sql, event, sql`select s.user_id, t.label from started s cross join taken t`, {
      userId: sql`told.user_id`,
      details: sql`jsonb_strip_nulls(jsonb_build_object('label', told.label))`,
    })})
  `
  const found = sql`
    select t.id as user_id, t.scope, array(select id from ended) as ended from taken t
  `
  return findRow<RedeemedDeviceSession>(sql, deviceCodeHash, found, steps)
}

/**
 * Deletes an approved request whose user the gate no longer lets in, and writes the refusal's event. False when the
 * request was deleted already.
 */
export async function refuseDeviceRequest(sql: Sql, poll: DevicePoll, event: PendingAuditEvent): Promise<boolean> {
  const { deviceCodeHash } = poll
  const steps = sql`
    refused as (
      delete from device_requests r
      where r.device_code_hash = ${deviceCodeHash} and r.linker_id is null and ${outcomeOf(sql, poll)} = 'approved'
      returning r.id, r.user_id
    ),
    audited as (${insertAuditEvent(sql, event, sql`select user_id from refused`, { userId: sql`told.user_id` })})
  `
  return (await findRow(sql, deviceCodeHash, sql`select id from refused`, steps)) !== null
}

/** Consumes a request whose link was made. Null when it was not, or when that account was removed again. */
export function consumeLinkedRequest(sql: Sql, poll: DevicePoll): Promise<StoredAccount | null> {
  const { deviceCodeHash, linkerSessionId } = poll
  const steps = sql`
    taken as (
      delete from device_requests r
      where r.device_code_hash = ${deviceCodeHash} and r.linker_session_id = ${linkerSessionId}
        and ${outcomeOf(sql, poll)} = 'approved'
      returning r.linked_account_id
    )
  `
  const found = sql`select ${storedAccount(sql)} from taken t join accounts a on a.id = t.linked_account_id`
  return findRow<StoredAccount>(sql, deviceCodeHash, found, steps)
}
