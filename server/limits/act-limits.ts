import type { AuditEventName } from '../../shared/audit-events.ts'
import type { RateLimits } from '../settings/rate-limits.ts'
import { createMemoryRateLimiter } from './memory-rate-limiter.ts'

/** What of an act is counted. */
export interface CountedAct {
  readonly name: AuditEventName
  readonly actorId: string | null
  readonly impersonatorId: string | null
  readonly isServer: boolean
  readonly organizationId: string | null
}

const names = ['acts', 'actsDaily', 'organizationActs', 'organizationActsEach'] as const

/** A limit that refuses an act, and the seconds until its window ends. */
interface ActRefusal {
  readonly limit: (typeof names)[number]
  readonly retryAfter: number
}

export interface ActLimits {
  /** Whether an act that is about to be done has no room. */
  refusalOf(act: CountedAct): ActRefusal | null
  /** Counts an act that was done. */
  count(act: CountedAct): void
}

/**
 * What ends a thief's access: it must work when the thief has used up all else. Each is bounded by the sessions, keys and
 * tries that there are, or is an equal act, which joins the row before.
 */
const neverRefused: ReadonlySet<AuditEventName> = new Set([
  'sign-in-done',
  'sign-out-done',
  'sessions-revoked',
  'password-changed',
  'password-reset-done',
  'key-revoked',
  'impersonation-ended',
])

/**
 * Bounds the rows that one person, and all people of an organization, add to the audit trail. In an organization everybody has
 * a share of their own, so that nobody uses up what an owner needs. A trusted server is not counted; who is not signed in is
 * counted where passwords, codes and mails are.
 */
export function createActLimits(now: () => number, limits: RateLimits): ActLimits {
  const [acts, daily, ofAll, each] = names.map((name) => createCounter(name, now, limits)) as [
    Counter,
    Counter,
    Counter,
    Counter,
  ]
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
  }
}

/** Who really acts. */
const personOf = ({ actorId, impersonatorId, isServer }: CountedAct): string | null =>
  isServer ? null : (impersonatorId ?? actorId)

const shareOf = (organizationId: string, person: string): string => `${organizationId} ${person}`

interface Counter {
  refusalOf(key: string): ActRefusal | null
  count(key: string): void
}

function createCounter(limit: ActRefusal['limit'], now: () => number, limits: RateLimits): Counter {
  const limiter = createMemoryRateLimiter(now, limits[limit])
  return {
    refusalOf: (key) => {
      const retryAfter = limiter.secondsFull(key)
      return retryAfter === null ? null : { limit, retryAfter }
    },
    count: (key) => void limiter.count(key),
  }
}
