import type { AuditEventName } from '../../shared/audit-events.ts'
import { newId } from '../crypto/id.ts'
import type { SecurityEvents } from './security-events.ts'

/** The user as whom a request acts, and the impersonator behind it. Both null without a session. */
export interface RequestActor {
  readonly actorId: string | null
  readonly impersonatorId: string | null
  readonly keyId: string | null
}

/** The facts about a request's origin, whatever it does. */
export interface RequestOrigin extends RequestActor {
  readonly isServer: boolean
  readonly address: string
  readonly userAgent: string
  readonly label: string | null
  readonly requestId: string
}

/** Of what no request asks for: the service does it by itself, or a command on the machine. */
export const noRequest: RequestOrigin = {
  actorId: null,
  impersonatorId: null,
  keyId: null,
  isServer: false,
  address: '',
  userAgent: '',
  label: null,
  requestId: 'local',
}

/** An event about to happen: the row of the trail that is written together with it, and the content of its log line. */
export interface PendingAuditEvent extends Omit<RequestOrigin, 'address' | 'userAgent' | 'label'> {
  readonly id: string
  readonly name: AuditEventName
  /** Whether the event proves who somebody is. Then the user it concerns is its actor. */
  readonly isProof: boolean
  readonly userId: string | null
  readonly organizationId: string | null
  readonly target: string | null
  readonly details: object
  readonly ipAddress: string | null
  readonly userAgent: string | null
  readonly facts: SecurityEvents[AuditEventName]
  /**
   * Facts for the log line that are known only afterwards. Null when it did not happen after all, so that nothing is
   * logged.
   */
  late: LateEventFacts | null
}

/** Events that prove who somebody is before anybody is signed in. */
const proofs: ReadonlySet<AuditEventName> = new Set([
  'sign-up-done',
  'sign-in-done',
  'sign-out-done',
  'password-reset-done',
  'token-exchanged',
])

/** Events that record the label of the device. Only in the trail, since the log contains no names. */
const labelled: ReadonlySet<AuditEventName> = new Set(['sign-up-done', 'sign-in-done'])

/** The facts that have their own columns. */
interface ColumnFacts {
  readonly userId: string | null
  readonly memberUserId?: string
  readonly targetUserId?: string
  readonly organizationId?: string | null
  readonly target?: string
  readonly provider?: string
}

const maxUserAgentLength = 512

/** A user agent as stored. */
export const truncateUserAgent = (userAgent: string): string => userAgent.slice(0, maxUserAgentLength)

export function createAuditEvent<E extends AuditEventName>(
  name: E,
  facts: SecurityEvents[E],
  { address, userAgent, label, actorId, impersonatorId, keyId, isServer, requestId }: RequestOrigin,
): PendingAuditEvent {
  const { userId, organizationId, target, details } = columnsOfFacts(facts as ColumnFacts, actorId)
  const isProof = proofs.has(name) && actorId === null
  // Field by field: V8 takes longer for one field after a spread than for all of these.
  return {
    id: newId(),
    name,
    isProof,
    actorId: isProof ? userId : actorId,
    impersonatorId,
    keyId,
    isServer,
    requestId,
    userId,
    organizationId,
    target,
    details: labelled.has(name) && label !== null ? { ...details, label } : details,
    ipAddress: address || null,
    userAgent: truncateUserAgent(userAgent) || null,
    facts,
    late: {},
  }
}

/** The columns of the facts. An event that names no user concerns its actor. */
function columnsOfFacts(facts: ColumnFacts, actorId: string | null) {
  const { userId, memberUserId, targetUserId, organizationId = null, target, provider = null, ...details } = facts
  const concerned = memberUserId ?? targetUserId ?? userId ?? actorId
  return { userId: concerned, organizationId, target: target ?? provider, details }
}

/** Facts of an event that are known only afterwards. */
export interface LateEventFacts {
  readonly name?: AuditEventName
  readonly userId?: string | null
  readonly count?: number
}

/** Adds to an event what only its statement could know. */
export function addLateFacts(event: PendingAuditEvent, late: LateEventFacts): void {
  event.late = late
}

/** Withdraws an event that did not happen, in a unit of work that did other things. */
export function withdrawEvent(event: PendingAuditEvent): void {
  event.late = null
}

/**
 * A unit of work, a transaction or one statement, which is committed as a whole or not at all. A transaction writes
 * only the events `E`, for which the trail had room before it took a connection.
 */
export interface UnitOfWork<E extends AuditEventName = AuditEventName> {
  /** Called after the commit, and never after a rollback. */
  readonly whenKept: (() => void)[]
  /** Never set. It makes units of work with different events different types. */
  readonly tells?: (name: E) => void
}

/** Proof that the trail has room for events of these names. Only a client's `requireRoom` creates one. */
export class AuditRoom<E extends AuditEventName> {
  protected readonly names: readonly E[]

  constructor(names: readonly E[]) {
    this.names = names
  }
}

/**
 * Refuses an act for which the trail has no room, before it takes a connection. If the act itself finds the
 * organization, the share of that organization is checked when its event is created.
 */
export type RequireRoom = <E extends AuditEventName>(organizationId: string | null, ...names: E[]) => AuditRoom<E>

/**
 * Announces an event: the caller writes its row together with what it does, and the security log gets a line after the
 * commit.
 */
export type AnnounceEvent = <E extends AuditEventName>(
  act: UnitOfWork<E>,
  name: E,
  facts: SecurityEvents[E],
) => PendingAuditEvent

/** Events that exist only in the log. Leaving out the trail's names ensures that no row of the trail is forgotten. */
type LogOnlyEvent = Exclude<keyof SecurityEvents, AuditEventName>

/** Writes an event that is not in the trail to the security log, which adds time, request and network. */
export type LogSecurityEvent = <E extends LogOnlyEvent>(event: E, facts: SecurityEvents[E]) => void
