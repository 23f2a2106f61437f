import { Failure } from '../../shared/failure.ts'
import { FairQueue } from '../limits/fair-queue.ts'

export interface HashQueueLimits {
  /** Jobs that run at once: no more than cores, or hashes slow each other down. */
  readonly running: number
  readonly waiting: number
  /** Milliseconds that a job waits for its turn. */
  readonly timeout: number
}

/** Networks take turns, and none can fill the queue: one may have a quarter of its places at the most. */
export function createHashQueue(limits: HashQueueLimits): FairQueue {
  return new FairQueue({
    ...limits,
    runningEach: limits.running,
    waitingEach: Math.ceil(limits.waiting / 4),
    busy: () => new Failure('SERVICE_UNAVAILABLE', { cause: 'password queue full', retryAfter: 2 }),
  })
}
