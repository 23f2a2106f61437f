import { Failure } from '../../shared/failure.ts'

/** Milliseconds until a request is given up; whatever it still does ends by its own deadlines. */
const requestDeadline = 15_000

/** Settles with the work, or refuses when it takes too long; whether it was done is then unknown. */
export function withinDeadline<T>(work: T | Promise<T>): T | Promise<T> {
  if (!(work instanceof Promise)) return work
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Failure('SERVICE_UNAVAILABLE', { cause: 'request deadline' }))
    const timer = setTimeout(giveUp, requestDeadline)
    const settled = (settle: () => void) => {
      clearTimeout(timer)
      settle()
    }
    work.then(
      (value) => settled(() => resolve(value)),
      (error: unknown) => settled(() => reject(error)),
    )
  })
}
