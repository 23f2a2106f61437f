import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Keys } from './crypto/keys.ts'
import type { Passwords } from './crypto/password.ts'
import type { Sql } from './db/connect.ts'
import type { OptionalWrite } from './db/optional-write.ts'
import type { Replica } from './db/replica.ts'
import type { ReadCache } from './domain/session/cookie-cache.ts'
import type { Revocations } from './domain/session/revocations.ts'
import type { TokenMemory } from './domain/token/memory.ts'
import type { ConfirmedTokens } from './limits/confirmed-tokens.ts'
import type { SharedLimits } from './limits/shared-limits.ts'
import type { Outbox } from './mail/outbox.ts'
import type { Observer } from './metrics/observer.ts'
import type { Providers } from './providers/create-providers.ts'

/**
 * The parts of a service, passed to each use case. There are no globals, so one process may run several services.
 * `createParts` makes all of them except `sql`.
 */
export interface Deps {
  readonly config: Config
  readonly sql: Sql
  /** Answers lists. Undefined without DATABASE_REPLICA_URL. */
  readonly replica?: Replica | undefined
  readonly keys: Keys
  readonly passwords: Passwords
  /** Reads the cookie cache. */
  readonly readCache: ReadCache
  readonly revocations: Revocations
  readonly provenSessions: ConfirmedTokens
  readonly optionalWrite: OptionalWrite
  /** Present in a worker: the limits in memory that it shares with the others. */
  readonly sharedLimits?: SharedLimits | undefined
  readonly outbox: Outbox
  readonly providers: Providers
  readonly tokenMemory: TokenMemory
  readonly log: Logger
  /** Counts events for metrics. Undefined when METRICS is off. */
  readonly observer?: Observer | undefined
  /**
   * Minimum milliseconds of a call that may send a mail, so that its time does not reveal whether an address is known.
   */
  readonly answerFloor: number
  /** Milliseconds that a call with a large answer waits for its turn at most. */
  readonly turnTimeout: number
  /** Milliseconds that a check of the database waits, which is less than proxies wait for it. */
  readonly checkTimeout: number
  /** Milliseconds until a request is given up. Work that is still running ends by its own deadlines. */
  readonly requestDeadline: number
  /** Used for what is not stored. What is stored uses the database's clock. */
  readonly now: () => Date
  /** Milliseconds of a clock that nobody sets, for what lives in memory for a while. */
  readonly steadyNow: () => number
}
