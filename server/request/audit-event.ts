import { v7 as uuid } from 'uuid'
import type { AuditEventName } from '../../shared/audit-events.ts'
import type { SecurityEvents } from './security-events.ts'

/** As whom a request acts, and who really does: nulls where nobody is signed in. */
export interface Asker {
  readonly actorId: string | null
  readonly impersonatorId: string | null
  readonly keyId: string | null
}

/** What a request says of itself, whatever it does. */
export interface Origin extends Asker {
  readonly isServer: boolean
  readonly address: string
  readonly userAgent: string
  readonly label: string | null
  readonly requestId: string
}

/** An event that is about to happen: a row of the trail to be written together with it, and what its log line will say. */
export interface AuditEvent extends Omit<Origin, 'address' | 'userAgent' | 'label'> {
  readonly id: string
  readonly name: AuditEventName
  /** Whether it proves who somebody is: then the user whom it concerns did it. */
  readonly isProof: boolean
  readonly userId: string | null
  readonly organizationId: string | null
  readonly target: string | null
  readonly details: object
  readonly ipAddress: string | null
  readonly userAgent: string | null
  readonly facts: SecurityEvents[AuditEventName]
  /** What its line says besides, known only once it was done; null: it was not done after all, and no line says so. */
  late: LateFacts | null
}

/** What proves who somebody is, where nobody is signed in yet. */
const proofs: ReadonlySet<AuditEventName> = new Set([
  'sign-up-done',
  'sign-in-done',
  'sign-out-done',
  'password-reset-done',
  'token-exchanged',
])

/** What tells the machine whose session began: in the trail alone, since the log holds no names. */
const labelled: ReadonlySet<AuditEventName> = new Set(['sign-up-done', 'sign-in-done'])

/** What of the facts has a column of its own. */
interface Placed {
  readonly userId: string | null
  readonly memberUserId?: string
  readonly targetUserId?: string
  readonly organizationId?: string | null
  readonly target?: string
  readonly provider?: string
}

const maxUserAgentLength = 512

/** A user agent as it is stored. */
export const cutUserAgent = (userAgent: string): string => userAgent.slice(0, maxUserAgentLength)

export function createAuditEvent<E extends AuditEventName>(
  name: E,
  facts: SecurityEvents[E],
  { address, userAgent, label, ...asker }: Origin,
): AuditEvent {
  const placed = placesOf(facts as Placed, asker.actorId)
  const isProof = proofs.has(name) && asker.actorId === null
  return {
    ...asker,
    ...placed,
    details: labelled.has(name) && label !== null ? { ...placed.details, label } : placed.details,
    actorId: isProof ? placed.userId : asker.actorId,
    id: uuid(),
    name,
    isProof,
    ipAddress: address || null,
    userAgent: cutUserAgent(userAgent) || null,
    facts,
    late: {},
  }
}

/** The columns of the facts; where they name nobody it concerns who did it. */
function placesOf(facts: Placed, actorId: string | null) {
  const { userId, memberUserId, targetUserId, organizationId = null, target, provider = null, ...details } = facts
  const concerned = memberUserId ?? targetUserId ?? userId ?? actorId
  return { userId: concerned, organizationId, target: target ?? provider, details }
}

/** What of an event is known only after it was done. */
export interface LateFacts {
  readonly name?: AuditEventName
  readonly userId?: string | null
  readonly count?: number
}

/** Adds to an event what only the statement that did it could say. */
export function learn(event: AuditEvent, late: LateFacts): void {
  event.late = late
}

/** Takes an event back that was not done, in an act that did other things. */
export function withdraw(event: AuditEvent): void {
  event.late = null
}

/**
 * A transaction, or one statement: what it does is kept as a whole, or nothing of it is. A transaction tells of no other events
 * than `E`, for which it had room before it took a connection.
 */
export interface Act<E extends AuditEventName = AuditEventName> {
  /** What is called once it is kept; never when it was undone. */
  readonly whenKept: (() => void)[]
  /** Holds nothing: it makes an act of other events another type. */
  readonly tells?: (name: E) => void
}

/** Room that the trail has for events of these names: only `requireRoom` of a client answers one. */
export class Room<E extends AuditEventName> {
  protected readonly names: readonly E[]

  constructor(names: readonly E[]) {
    this.names = names
  }
}

/**
 * Refuses an act that the trail has no room for, before it takes a connection. An act in an organization that only the act
 * finds has its share of that organization looked at when its event is made.
 */
export type RequireRoom = <E extends AuditEventName>(organizationId: string | null, ...names: E[]) => Room<E>

/**
 * An event that is about to happen: whoever writes what it tells writes its row along with it, and the security log has its
 * line once the act is kept.
 */
export type Event = <E extends AuditEventName>(act: Act<E>, name: E, facts: SecurityEvents[E]) => AuditEvent

/** What stands in the log alone: no row of the trail is forgotten where it is told by its name. */
type LogOnlyEvent = Exclude<keyof SecurityEvents, AuditEventName>

/** Writes what stands in no trail to the security log, which adds time, request and network. */
export type Note = <E extends LogOnlyEvent>(event: E, facts: SecurityEvents[E]) => void
