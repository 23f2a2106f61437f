import type { AuditEventName } from '../../shared/audit-events.ts'
import type { Admitted } from '../request/admission.ts'
import type { AuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent } from './audit-events.ts'
import type { Sql } from './connect.ts'
import { isOpen } from './device-claims.ts'
import { findOwn } from './own-row.ts'
import { mayEnter } from './session-start.ts'

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
