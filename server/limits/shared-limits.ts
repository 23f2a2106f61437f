import type { LimitName } from '../settings/rate-limits.ts'
import type { ActLimits } from './act-limits.ts'
import type { RateLimiter } from './memory-rate-limiter.ts'

/** The limits of floods, each with counters of its own. */
export const floodLimits = ['calls', 'visits', 'sessionCalls', 'keyCalls', 'endedTokens'] as const

export type FloodLimit = (typeof floodLimits)[number]

/** The configured limit that a counter enforces. */
export const ruleOf = (name: FloodLimit): LimitName => (name === 'endedTokens' ? 'calls' : name)

/** The limits in memory that the workers of a service share. */
export interface SharedLimits {
  readonly rateLimiter: (name: FloodLimit) => RateLimiter
  readonly actLimits: ActLimits
}
