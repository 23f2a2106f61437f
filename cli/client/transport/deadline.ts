import { setTimeout as sleep } from 'node:timers/promises'
import { NetworkError } from '../errors.ts'

/** The time that one request has, with all its tries and waits; and the user's Ctrl-C. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Milliseconds. */
  left(): number
  pause(milliseconds: number): Promise<void>
  /** Throws when it has ended: the user's own reason, or a timeout. */
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
