import { setTimeout as sleep } from 'node:timers/promises'
import { NetworkError } from './errors.ts'

/** The time that one request has, repetitions and waits included, and the person's wish to stop. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Milliseconds. */
  left(): number
  pause(milliseconds: number): Promise<void>
  /** Throws what ended it: the person's own reason, or the time. Returns while it has not ended. */
  check(): void
}

interface Limits {
  readonly origin: string
  readonly method: string
  /** Milliseconds. */
  readonly timeout: number
  readonly signal: AbortSignal | undefined
}

export function startDeadline({ origin, method, timeout, signal: stop }: Limits): Deadline {
  const end = performance.now() + timeout
  const expired = AbortSignal.timeout(timeout)
  const signal = AbortSignal.any(stop ? [expired, stop] : [expired])
  const check = () => {
    stop?.throwIfAborted()
    if (expired.aborted) throw timeoutError(origin, method, timeout)
  }
  return {
    signal,
    check,
    left: () => end - performance.now(),
    pause: async (milliseconds) => {
      await sleep(milliseconds, undefined, { signal }).catch(check)
    },
  }
}

const timeoutError = (origin: string, method: string, timeout: number): NetworkError =>
  new NetworkError(
    `${origin} did not answer within ${timeout / 1_000} s`,
    method === 'GET'
      ? 'Try again with more time: --timeout 60s'
      : 'A change may have been made all the same: look, then try again with more time (--timeout 60s)',
  )
