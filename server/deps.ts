import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Keys } from './crypto/keys.ts'
import type { Passwords } from './crypto/password.ts'
import type { Sql } from './db/connect.ts'
import type { Revocations } from './domain/session/revocations.ts'
import type { TokenMemory } from './domain/token/memory.ts'
import type { ProvenSessions } from './limits/proven-sessions.ts'
import type { Outbox } from './mail/outbox.ts'
import type { Observer } from './metrics/observer.ts'
import type { Providers } from './providers/create-providers.ts'

/**
 * What a service is made of, and what each use case is given: no globals, so one process may hold several services.
 * `createParts` makes all of it but `sql`.
 */
export interface Deps {
  readonly config: Config
  readonly sql: Sql
  readonly keys: Keys
  readonly passwords: Passwords
  readonly revocations: Revocations
  readonly provenSessions: ProvenSessions
  readonly outbox: Outbox
  readonly providers: Providers
  readonly tokenMemory: TokenMemory
  readonly log: Logger
  /** Counts what is done; nobody does without METRICS. */
  readonly observer?: Observer | undefined
  /** Milliseconds that a call which may send a mail takes at least: its time must not tell whether there is such an address. */
  readonly answerFloor: number
  /** For what is not stored; what is stored goes by the database's clock. */
  readonly now: () => Date
}
