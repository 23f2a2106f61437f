import { Failure } from '../../shared/failure.ts'

export interface QueueLimits {
  /** Jobs that run at once: no more than cores, or hashes slow each other down. */
  readonly running: number
  readonly waiting: number
  /** Milliseconds that a job waits for its turn. */
  readonly patience: number
}

interface Waiter {
  readonly start: () => void
  readonly timer: NodeJS.Timeout
}

/** A bounded queue: beyond its limits a job is refused before anything is done, with a time to come back. */
export function createHashQueue({ running, waiting, patience }: QueueLimits) {
  const queue = new Set<Waiter>()
  let active = 0

  const turn = () =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        queue.delete(waiter)
        reject(busy())
      }
      const waiter: Waiter = { start: resolve, timer: setTimeout(leave, patience) }
      queue.add(waiter)
    })

  // The permit goes straight to the next waiter, so nobody can slip in between.
  const release = () => {
    const [next] = queue
    if (!next) {
      active -= 1
      return
    }
    queue.delete(next)
    clearTimeout(next.timer)
    next.start()
  }

  async function admit() {
    if (active < running) {
      active += 1
      return
    }
    if (queue.size >= waiting) throw busy()
    await turn()
  }

  return async function run<T>(job: () => Promise<T>): Promise<T> {
    await admit()
    try {
      // The permit is held until the native job ends, also when the client has left.
      return await job()
    } finally {
      release()
    }
  }
}

const busy = () => new Failure('SERVICE_UNAVAILABLE', { cause: 'password queue full', retryAfter: 2 })
