import { createHashQueue, type HashQueueLimits } from '../crypto/hash-queue.ts'
import { type ActLimits, createActLimits } from '../limits/act-limits.ts'
import { CentralCounter } from '../limits/central-counter.ts'
import type { FairQueue } from '../limits/fair-queue.ts'
import { type FloodLimit, floodLimits, ruleOf } from '../limits/shared-limits.ts'
import { ownShare } from '../limits/shared-rate-limiter.ts'
import type { RateLimits } from '../settings/rate-limits.ts'
import type { WorkerCalls } from './calls.ts'
import type { Channel } from './channel.ts'
import { within } from './within.ts'

/** Milliseconds. A worker that does not tell its count by then is taken to have used up its share. */
const collectTime = 250

/** A worker that takes part. */
export interface Member {
  readonly channel: Pick<Channel<never, WorkerCalls>, 'ask' | 'tell'>
}

export interface SharedOptions {
  readonly limits: RateLimits
  readonly workers: number
  readonly hashing: HashQueueLimits
}

/** What all workers of a service count and remember together. It lives in the primary. */
export class SharedState {
  readonly acts: ActLimits
  readonly hashQueue: FairQueue
  readonly #options: SharedOptions
  readonly #members = new Set<Member>()
  readonly #counters: ReadonlyMap<FloodLimit, CentralCounter>

  constructor(options: SharedOptions) {
    this.#options = options
    this.acts = createActLimits(Date.now, options.limits)
    this.hashQueue = createHashQueue(options.hashing)
    this.#counters = new Map(floodLimits.map((name) => [name, this.#counterOf(name)]))
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
    const { limits, workers } = this.#options
    const limit = limits[ruleOf(name)]
    const unknown = () => ({ count: ownShare(limit.max, workers), endsAt: Date.now() + limit.window * 1000 })
    const collect = async (key: string) => {
      const counted = [...this.#members].map((member) =>
        within(collectTime, member.channel.ask('takeCount', name, key)).catch(unknown),
      )
      return (await Promise.all(counted)).filter((one) => one !== null)
    }
    return new CentralCounter({ now: Date.now, limit, collect })
  }
}
