import { fairLimitsOf, type HashQueueSettings, hashLimitsOf, hashQueueFull } from '../crypto/hash-queue.ts'
import type { Revocations } from '../domain/session/revocations.ts'
import { type ActLimits, type CountedAct, createActLimits } from '../limits/act-limits.ts'
import type { FairQueueLimits, JobQueue } from '../limits/fair-queue.ts'
import { type FloodLimit, ruleOf, type SharedLimits } from '../limits/shared-limits.ts'
import { createSharedRateLimiter, type SharedRateLimiter } from '../limits/shared-rate-limiter.ts'
import { steadyNow } from '../memory/steady-now.ts'
import type { MetricValues } from '../metrics/create-metrics.ts'
import type { RateLimits } from '../settings/rate-limits.ts'
import type { Assignment, PrimaryCalls, Serving, WorkerCalls } from './calls.ts'
import { Channel, type Port } from './channel.ts'

/** What others did before this one could count it. */
interface Early {
  readonly acts: CountedAct[]
  readonly revoked: string[]
}

/** A worker's part in what all workers of a service do, count and remember together. */
export class WorkerPart {
  readonly assignment: Assignment
  readonly #primary: Channel<WorkerCalls, PrimaryCalls>
  readonly #limiters = new Map<FloodLimit, SharedRateLimiter>()
  #actLimits: ActLimits | undefined
  #revocations: Revocations | undefined
  readonly #early: Early
  #metrics: (() => Promise<MetricValues>) | undefined

  private constructor(primary: Channel<WorkerCalls, PrimaryCalls>, assignment: Assignment, early: Early) {
    this.#primary = primary
    this.assignment = assignment
    this.#early = early
    early.revoked.push(...assignment.revoked)
  }

  /** Joins the workers of the process at the other end. `stop` ends this one's service. */
  static async join(port: Port, stop: WorkerCalls['stop']): Promise<WorkerPart> {
    let own: WorkerPart | undefined
    // The message that answers `join` may go on with what others have done.
    const early: Early = { acts: [], revoked: [] }
    const primary: Channel<WorkerCalls, PrimaryCalls> = new Channel(port, {
      takeCount: (limit, key) => own?.takeCount(limit, key) ?? null,
      acted: (act) => (own ? own.acted(act) : early.acts.push(act)),
      revoked: (ids) => (own ? own.revoked(ids) : early.revoked.push(...ids)),
      metrics: async () => (await own?.metrics()) ?? [],
      stop,
    })
    own = new WorkerPart(primary, await primary.ask('join'), early)
    return own
  }

  private takeCount = (limit: FloodLimit, key: string) => this.#limiters.get(limit)?.take(key) ?? null
  private acted = (act: CountedAct) => (this.#actLimits ? this.#actLimits.count(act) : this.#early.acts.push(act))
  private revoked = (ids: readonly string[]) =>
    this.#revocations ? this.#revocations.add(ids) : this.#early.revoked.push(...ids)

  /** By the settings as this worker read them: those of the primary change only once it serves. */
  sharedHashQueue(settings: HashQueueSettings): JobQueue {
    const { hashing, workers } = this.assignment
    return new SharedHashQueue(this.#primary, fairLimitsOf(hashing ?? hashLimitsOf(settings, workers)))
  }

  sharedLimits(limits: RateLimits): SharedLimits {
    const alone = createActLimits(steadyNow, limits)
    alone.restore(this.assignment.acts)
    for (const act of this.#early.acts.splice(0)) alone.count(act)
    this.#actLimits = alone
    const count: ActLimits['count'] = (act) => {
      alone.count(act)
      const { name, actorId, impersonatorId, isServer, organizationId } = act
      this.#primary.tell('acted', { name, actorId, impersonatorId, isServer, organizationId })
    }
    return { actLimits: { ...alone, count }, rateLimiter: (name) => this.#rateLimiter(name, limits) }
  }

  #rateLimiter(name: FloodLimit, limits: RateLimits): SharedRateLimiter {
    const central = {
      // Without a primary this worker is ending, and another one soon answers.
      count: (key: string) =>
        this.#primary.ask('count', name, key).catch(() => ({ retryAfter: 1, endsAt: steadyNow() })),
      refund: (key: string) => this.#primary.tell('refund', name, key),
    }
    const { workers } = this.assignment
    const made = createSharedRateLimiter({ now: steadyNow, limit: limits[ruleOf(name)], workers, central })
    this.#limiters.set(name, made)
    return made
  }

  /** The other workers refuse the ended sessions' cached copies too, as soon as the message arrives. */
  sharedRevocations(alone: Revocations): Revocations {
    this.#revocations = alone
    alone.add(this.#early.revoked.splice(0))
    const add: Revocations['add'] = (ids) => {
      alone.add(ids)
      if (ids.length > 0) this.#primary.tell('revoked', ids)
    }
    return { ...alone, add }
  }

  collectMetrics(read: () => Promise<MetricValues>): void {
    this.#metrics = read
  }

  metrics = async (): Promise<MetricValues> => (await this.#metrics?.()) ?? []

  serving(told: Serving): void {
    this.#primary.tell('serving', told)
  }

  /** The primary is gone: what was asked of it gets no answer. */
  leave(): void {
    this.#primary.close()
  }

  async stopped(): Promise<void> {
    this.#primary.tell('stopped', await this.metrics())
    await this.#primary.flush()
  }

  async failed({ name, message }: Error): Promise<void> {
    this.#primary.tell('failed', { name, message })
    await this.#primary.flush()
  }
}

/** Runs hashes in turns that the primary gives, so that all workers together compute at most one per core. */
class SharedHashQueue implements JobQueue {
  readonly #primary: Channel<WorkerCalls, PrimaryCalls>
  /** The primary refuses earlier when other workers have taken the places. */
  readonly #limits: FairQueueLimits
  /** The jobs of each sender, prepared ones included: one that floods must not take the places of the others. */
  readonly #jobs = new Map<string, number>()
  running = 0
  waiting = 0
  refused = 0
  #expected = 0

  constructor(primary: Channel<WorkerCalls, PrimaryCalls>, limits: FairQueueLimits) {
    this.#primary = primary
    this.#limits = limits
  }

  async prepare<T>(work: () => Promise<T>, sender?: string): Promise<T> {
    if (!this.#hasPlace(sender)) throw this.#refusal('too many are waiting')
    this.#expected += 1
    try {
      return await this.#counted(sender, work)
    } finally {
      this.#expected -= 1
    }
  }

  run<T>(job: () => Promise<T>, sender?: string): Promise<T> {
    return this.#counted(sender, async () => {
      const turn = await this.#turn(sender)
      this.running += 1
      try {
        return await job()
      } finally {
        this.running -= 1
        this.#primary.tell('hashDone', turn)
      }
    })
  }

  #hasPlace(sender: string | undefined): boolean {
    const { running, waiting, runningEach, waitingEach } = this.#limits
    if (this.running + this.waiting + this.#expected >= running + waiting) return false
    return sender === undefined || (this.#jobs.get(sender) ?? 0) < runningEach + waitingEach
  }

  async #counted<T>(sender: string | undefined, work: () => Promise<T>): Promise<T> {
    if (sender === undefined) return work()
    this.#jobs.set(sender, (this.#jobs.get(sender) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const left = (this.#jobs.get(sender) ?? 0) - 1
      if (left > 0) this.#jobs.set(sender, left)
      else this.#jobs.delete(sender)
    }
  }

  async #turn(sender?: string): Promise<number> {
    this.waiting += 1
    const turn = await this.#primary
      .ask('hashTurn', sender)
      .catch(({ message }: Error) => message)
      .finally(() => {
        this.waiting -= 1
      })
    if (typeof turn === 'number') return turn
    throw this.#refusal(turn)
  }

  #refusal(reason: string): Error {
    this.refused += 1
    return hashQueueFull(reason)
  }
}
