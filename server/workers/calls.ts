import type { Environment, KeptSettings } from '../config.ts'
import type { HashQueueLimits } from '../crypto/hash-queue.ts'
import type { ActLimits, CountedAct } from '../limits/act-limits.ts'
import type { CountWindow } from '../limits/memory-rate-limiter.ts'
import type { FloodLimit } from '../limits/shared-limits.ts'
import type { SharedCount } from '../limits/shared-rate-limiter.ts'
import type { MetricValues } from '../metrics/create-metrics.ts'
import type { SharedSettings } from './shared-settings.ts'

/** What a worker gets at its start. */
export interface Assignment {
  readonly env: Environment
  readonly cwd: string
  /** The settings of the others. Without them it reads its own. */
  readonly settings?: KeptSettings | undefined
  /** How many workers there are. */
  readonly workers: number
  /** One worker does what is needed once per service, such as removing expired rows. */
  readonly isFirst: boolean
  /** Others serve already, so it listens only when it can serve. */
  readonly isLate: boolean
  /** The limits of password hashes, in all workers together, in place of those of the settings. */
  readonly hashing?: HashQueueLimits | undefined
  readonly checkTimeout?: number | undefined
  readonly acts: ReturnType<ActLimits['counts']>
  /** Sessions whose cached copies are refused. */
  readonly revoked: readonly string[]
}

/** Where a worker serves, as told in the log. */
export interface ServingFacts {
  readonly url: string
  readonly base: string
  readonly address: string
  readonly database: string
}

/** What a worker tells once it serves. */
export interface Serving {
  readonly facts: ServingFacts
  /** As this worker uses them. */
  readonly settings: KeptSettings
  readonly shared: SharedSettings
}

/** What a worker asks the primary. */
export interface PrimaryCalls {
  join(): Assignment
  serving(told: Serving): void
  failed(error: { readonly name: string; readonly message: string }): void
  count(limit: FloodLimit, key: string): Promise<SharedCount>
  refund(limit: FloodLimit, key: string): void
  acted(act: CountedAct): void
  revoked(sessionIds: readonly string[]): void
  hashTurn(sender?: string): Promise<number | string>
  hashDone(turn: number): void
  stopped(metrics: MetricValues): void
}

/** What the primary asks a worker. */
export interface WorkerCalls {
  takeCount(limit: FloodLimit, key: string): CountWindow | null
  acted(act: CountedAct): void
  revoked(sessionIds: readonly string[]): void
  metrics(): Promise<MetricValues>
  /** Serves its last requests, tells its last metrics and ends. */
  stop(options: StopOptions): void
}

export interface StopOptions {
  /** Milliseconds for load balancers and clients to notice. */
  readonly notice: number
  /** Others go on serving at its address. */
  readonly isReplaced: boolean
}
