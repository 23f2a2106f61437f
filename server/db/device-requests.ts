import type postgres from 'postgres'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent } from './audit-events.ts'
import { getRow } from './checked-row.ts'
import type { Sql } from './connect.ts'
import { deleteExpiredRows } from './expired-rows.ts'
import { type CountResult, countUses, type Limits } from './limits.ts'

/** A user and the session that asks for a link. The session must live until the link is made. */
export interface LinkingSession {
  readonly userId: string
  readonly sessionId: string
}

/** A sign-in or link that is to be completed in a browser. */
export interface NewDeviceRequest {
  readonly id: string
  readonly deviceCodeHash: Buffer
  readonly userCodeMac: Buffer
  readonly clientId: string
  readonly scope: string
  readonly provider: string | null
  readonly codeChallenge: string | null
  readonly redirectUri: string | null
  readonly redirectState: string | null
  readonly ipAddress: string
  readonly userAgent: string
  readonly label: string | null
  /** The user and session that asked for the link. Null for a sign-in. */
  readonly linker: LinkingSession | null
  /** Seconds between two polls, and until the request expires. */
  readonly interval: number
  readonly lifetime: number
  readonly event: PendingAuditEvent
}

/** Stores a request if the limits allow it. `isMade` is false when another request has the same user code. */
export function insertDeviceRequest(sql: Sql, request: NewDeviceRequest, limits: Limits) {
  const steps = sql`
    ${countUses(sql, limits)},
    made as (
      insert into device_requests (
        id, device_code_hash, user_code_mac, client_id, scope, provider, code_challenge, redirect_uri, redirect_state,
        ip_address, user_agent, label, linker_id, linker_session_id, poll_interval, expires_at
      )
      select ${request.id}, ${request.deviceCodeHash}, ${request.userCodeMac}, ${request.clientId}, ${request.scope},
        ${request.provider}, ${request.codeChallenge}, ${request.redirectUri}, ${request.redirectState},
        ${request.ipAddress}, ${request.userAgent}, ${request.label}, ${request.linker?.userId ?? null},
        ${request.linker?.sessionId ?? null}, ${request.interval},
        now() + make_interval(secs => ${request.lifetime})
      from counted where refused_for is null
      on conflict do nothing
      returning id
    ),
    audited as (${insertAuditEvent(sql, request.event, sql`select from made`)})
  `
  const found = sql`select c.refused_for, exists (select from made) as is_made from counted c`
  return getRow<CountResult & { isMade: boolean }>(sql, request.id, found, steps)
}

/** Deletes requests some time after they expired, so that a polling device first learns of the expiry. */
export const deleteExpiredDeviceRequests = (sql: Sql, batch: number) =>
  deleteExpiredRows(sql, { table: 'device_requests', end: sql`now() - interval '10 minutes'` }, batch)

/** Deletes requests that a user approved and nobody has redeemed. A fragment for a larger statement. */
export const deleteDeviceRequestsOf = (sql: Sql, userId: postgres.Fragment) => sql`
  delete from device_requests where user_id = ${userId}
`
