import type { AuditEventName } from '../../shared/audit-events.ts'
import type { RateLimits } from '../settings/rate-limits.ts'
import { createMemoryRateLimiter, type MemoryRateLimiter } from './memory-rate-limiter.ts'

/** The facts of an act that the limits use. */
export interface CountedAct {
  readonly name: AuditEventName
  readonly actorId: string | null
  readonly impersonatorId: string | null
  readonly isServer: boolean
  readonly organizationId: string | null
}

const names = ['acts', 'actsDaily', 'organizationActs', 'organizationActsEach'] as const

/** The limit that refuses an act, and the seconds until its window ends. */
interface ActRefusal {
  readonly limit: (typeof names)[number]
  readonly retryAfter: number
}

export interface ActLimits {
  /** Returns the limit that would refuse this act, or null. */
  refusalOf(act: CountedAct): ActRefusal | null
  /** Counts a completed act. */
  count(act: CountedAct): void
  /** All counts, which `restore` gives to a process that joins later. */
  counts(): ActCounts
  restore(counts: ActCounts): void
}

type ActCounts = readonly ReturnType<MemoryRateLimiter['windows']>[]

/**
 * Acts that end a thief's access must work after the thief has used up every limit. Each is bounded by the existing
 * sessions, keys, webhooks and attempts, or repeats an equal act, which adds no row.
 */
const neverRefused: ReadonlySet<AuditEventName> = new Set([
  'sign-in-done',
  'sign-out-done',
  'sessions-revoked',
  'password-changed',
  'password-reset-done',
  'key-revoked',
  'impersonation-ended',
  'webhook-deleted',
])

/**
 * Limits the rows that one person, and all people of an organization, add to the audit trail. Each member of an
 * organization has a separate share, so nobody uses up what an owner needs. Trusted servers are not counted. Requests
 * without a session are counted where passwords, codes and mails are.
 */
export function createActLimits(now: () => number, limits: RateLimits): ActLimits {
  const counters = names.map((name) => createCounter(name, now, limits)) as [Counter, Counter, Counter, Counter]
  const [acts, daily, ofAll, each] = counters
  return {
    refusalOf(act) {
      const person = personOf(act)
      if (person === null || neverRefused.has(act.name)) return null
      const refusal = acts.refusalOf(person) ?? daily.refusalOf(person)
      if (refusal || act.organizationId === null) return refusal
      return each.refusalOf(shareOf(act.organizationId, person)) && ofAll.refusalOf(act.organizationId)
    },
    count(act) {
      const person = personOf(act)
      if (person === null) return
      acts.count(person)
      daily.count(person)
      if (act.organizationId === null) return
      ofAll.count(act.organizationId)
      each.count(shareOf(act.organizationId, person))
    },
    counts: () => counters.map((counter) => counter.windows()),
    restore: (given) => given.forEach((windows, index) => counters[index]?.restore(windows)),
  }
}

/** The person who really acts: the impersonator, if there is one. */
const personOf = ({ actorId, impersonatorId, isServer }: CountedAct): string | null =>
  isServer ? null : (impersonatorId ?? actorId)

const shareOf = (organizationId: string, person: string): string => `${organizationId} ${person}`

interface Counter extends Pick<MemoryRateLimiter, 'windows' | 'restore'> {
  refusalOf(key: string): ActRefusal | null
  count(key: string): void
}

function createCounter(limit: ActRefusal['limit'], now: () => number, limits: RateLimits): Counter {
  const limiter = createMemoryRateLimiter(now, limits[limit])
  return {
    refusalOf: (key) => {
      const retryAfter = limiter.secondsUntilRoom(key)
      return retryAfter === null ? null : { limit, retryAfter }
    },
    count: (key) => void limiter.count(key),
    windows: () => limiter.windows(),
    restore: (windows) => limiter.restore(windows),
  }
}
