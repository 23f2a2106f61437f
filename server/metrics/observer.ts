import type { SecurityEvents } from '../request/security-events.ts'

/** Who is told what a service does, to count it. Told on the hot path: it only adds up, and never throws. */
export interface Observer {
  /** A request was answered, after so many milliseconds. `route`: the path of the call, never the text of a URL. */
  request(route: string, status: number, ms: number): void
  event(event: keyof SecurityEvents, route: string, reason: string | undefined): void
  /** A limit refused an act, which was not done. */
  actRefused(limit: string): void
  /** A limit kept a mail of this kind from being stored. */
  withheld(kind: string, limit: string): void
  /** So many expired rows of a table were deleted. */
  swept(table: string, rows: number): void
}
