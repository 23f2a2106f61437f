import { isDeepStrictEqual } from 'node:util'
import { within } from '../../shared/within.ts'
import { createHashQueue, fairLimitsOf, type HashQueueLimits, hashLimitsOf } from '../crypto/hash-queue.ts'
import { createRevocations, type Revocations } from '../domain/session/revocations.ts'
import { type ActLimits, createActLimits } from '../limits/act-limits.ts'
import { CentralCounter } from '../limits/central-counter.ts'
import type { FairQueue } from '../limits/fair-queue.ts'
import { type FloodLimit, floodLimits, ruleOf } from '../limits/shared-limits.ts'
import { ownShare } from '../limits/shared-rate-limiter.ts'
import { steadyNow } from '../memory/steady-now.ts'
import type { WorkerCalls } from './calls.ts'
import type { Channel } from './channel.ts'
import type { SharedSettings } from './shared-settings.ts'

/** A worker that takes part. */
export interface Member {
  readonly channel: Pick<Channel<never, WorkerCalls>, 'ask' | 'tell'>
}

export interface SharedOptions {
  readonly settings: SharedSettings
  readonly workers: number
  /** In place of those of the settings. */
  readonly hashing?: HashQueueLimits | undefined
  /** Milliseconds. A worker that does not tell its count by then is taken to have used up its share. */
  readonly collectTime?: number | undefined
}

/** What all workers of a service count and remember together. It lives in the primary. */
export class SharedState {
  acts: ActLimits
  revocations: Revocations
  readonly hashQueue: FairQueue
  readonly #options: Omit<SharedOptions, 'settings'>
  #settings: SharedSettings
  readonly #members = new Set<Member>()
  readonly #counters: ReadonlyMap<FloodLimit, CentralCounter>

  constructor({ settings, ...options }: SharedOptions) {
    this.#options = options
    this.#settings = settings
    this.acts = createActLimits(steadyNow, settings.RATE_LIMITS)
    this.revocations = revocationsOf(settings)
    this.hashQueue = createHashQueue(this.#hashing)
    this.#counters = new Map(floodLimits.map((name) => [name, this.#counterOf(name)]))
  }

  /** Uses the settings of the newest worker for all. What was counted remains. */
  adopt(settings: SharedSettings): void {
    if (isDeepStrictEqual(settings, this.#settings)) return
    this.#settings = settings
    const { acts, revocations } = this
    this.acts = createActLimits(steadyNow, settings.RATE_LIMITS)
    this.acts.restore(acts.counts())
    this.revocations = revocationsOf(settings)
    this.revocations.add(revocations.all())
    this.hashQueue.limits = fairLimitsOf(this.#hashing)
    for (const [name, counter] of this.#counters) counter.limit = settings.RATE_LIMITS[ruleOf(name)]
  }

  get #hashing(): HashQueueLimits {
    const { hashing, workers } = this.#options
    return hashing ?? hashLimitsOf(this.#settings, workers)
  }

  enter(member: Member): void {
    this.#members.add(member)
  }

  leave(member: Member): void {
    this.#members.delete(member)
  }

  counter(limit: FloodLimit): CentralCounter {
    return this.#counters.get(limit) as CentralCounter
  }

  others(sender: Member): readonly Member[] {
    return [...this.#members].filter((member) => member !== sender)
  }

  #counterOf(name: FloodLimit): CentralCounter {
    const { workers, collectTime = 250 } = this.#options
    const limit = this.#settings.RATE_LIMITS[ruleOf(name)]
    const unknown = () => {
      const { max, window } = this.#settings.RATE_LIMITS[ruleOf(name)]
      return { count: ownShare(max, workers), endsAt: steadyNow() + window * 1000 }
    }
    const collect = async (key: string) => {
      const counted = [...this.#members].map((member) =>
        within(collectTime, member.channel.ask('takeCount', name, key), unknown).catch(unknown),
      )
      return (await Promise.all(counted)).filter((one) => one !== null)
    }
    return new CentralCounter({ now: steadyNow, limit, collect })
  }
}

const revocationsOf = (settings: SharedSettings): Revocations =>
  createRevocations(settings, () => new Date(), steadyNow)
