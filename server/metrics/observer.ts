import type { SecurityEvents } from '../request/security-events.ts'

/** Receives what a service does, to count it. It runs on the hot path, so it only adds up and never throws. */
export interface Observer {
  /** A request was answered after `ms` milliseconds. `route`: the path of the call, never the text of a URL. */
  request(route: string, status: number, ms: number): void
  event(event: keyof SecurityEvents, route: string, reason: string | undefined): void
  /** A limit refused an act. */
  actRefused(limit: string): void
  /** A limit kept a mail of this kind from being stored. */
  withheld(kind: string, limit: string): void
  /** A list was read at this place. Only when there is a replica. */
  listRead(place: 'replica' | 'primary'): void
  /** A webhook was sent an event, or was given up. */
  webhookTried(result: 'delivered' | 'failed'): void
  /** This number of expired rows of a table was deleted. */
  swept(table: string, rows: number): void
}
