import { availableParallelism } from 'node:os'
import { Failure } from '../../shared/failure.ts'
import { FairQueue, type FairQueueLimits } from '../limits/fair-queue.ts'

export interface HashQueueLimits {
  /** Concurrent jobs: at most one per core, since more would slow each other down. */
  readonly running: number
  readonly waiting: number
  /** Maximum wait for a turn, in milliseconds. */
  readonly timeout: number
}

/** Node has four threads for hashes. One is left for files and host names. */
const hashesOfProcess = 3

/** How many more may wait for each that is computed, and for how many seconds. */
export interface HashQueueSettings {
  readonly PASSWORD_QUEUE: number
  readonly PASSWORD_QUEUE_TIMEOUT: number
}

/** At 40 hashes a second and core, those that wait have their turn within about a second. */
export const usualHashQueue: HashQueueSettings = { PASSWORD_QUEUE: 32, PASSWORD_QUEUE_TIMEOUT: 2 }

/** The limits of a service with this many processes: a hash per core, if there are threads for them. */
export const hashLimitsOf = (
  settings: HashQueueSettings,
  processes = 1,
  cores = availableParallelism(),
): HashQueueLimits => {
  const running = Math.min(cores, hashesOfProcess * processes)
  return { running, waiting: settings.PASSWORD_QUEUE * running, timeout: 1000 * settings.PASSWORD_QUEUE_TIMEOUT }
}

/** Networks take turns. One network can hold at most a quarter of the places, so none can fill the queue alone. */
export const fairLimitsOf = (limits: HashQueueLimits): FairQueueLimits => ({
  ...limits,
  runningEach: limits.running,
  waitingEach: Math.ceil(limits.waiting / 4),
  busy: (reason) => hashQueueFull(`queue of password hashes: ${reason}`),
})

export const createHashQueue = (limits: HashQueueLimits): FairQueue => new FairQueue(fairLimitsOf(limits))

export const hashQueueFull = (cause: string) => new Failure('SERVICE_UNAVAILABLE', { cause, retryAfter: 2 })
