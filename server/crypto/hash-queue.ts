import { Failure } from '../../shared/failure.ts'
import { FairQueue } from '../limits/fair-queue.ts'

export interface HashQueueLimits {
  /** Concurrent jobs: at most one per core, since more would slow each other down. */
  readonly running: number
  readonly waiting: number
  /** Maximum wait for a turn, in milliseconds. */
  readonly timeout: number
}

/** Networks take turns. One network can hold at most a quarter of the places, so none can fill the queue alone. */
export function createHashQueue(limits: HashQueueLimits): FairQueue {
  return new FairQueue({
    ...limits,
    runningEach: limits.running,
    waitingEach: Math.ceil(limits.waiting / 4),
    busy: (reason) =>
      new Failure('SERVICE_UNAVAILABLE', { cause: `queue of password hashes: ${reason}`, retryAfter: 2 }),
  })
}
