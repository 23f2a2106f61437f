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
  /** The request is done: nothing is kept of it. */
  close(): void
}

interface Limits {
  readonly origin: string
  readonly method: string
  /** Milliseconds. */
  readonly timeout: number
  readonly signal: AbortSignal | undefined
}

// Not by AbortSignal.any: of each signal that it makes, one that lives on keeps something (nodejs/node#54614).
export function startDeadline({ origin, method, timeout, signal: stop }: Limits): Deadline {
  const end = performance.now() + timeout
  const ending = new AbortController()
  const { signal } = ending
  const timer = setTimeout(() => ending.abort(), timeout).unref()
  const onStop = () => ending.abort(stop?.reason)
  if (stop?.aborted) onStop()
  stop?.addEventListener('abort', onStop, { once: true })
  const check = () => {
    stop?.throwIfAborted()
    if (signal.aborted) throw timeoutError(origin, method, timeout)
  }
  return {
    signal,
    check,
    left: () => end - performance.now(),
    pause: async (milliseconds) => {
      await sleep(milliseconds, undefined, { signal }).catch(check)
    },
    close: () => {
      clearTimeout(timer)
      stop?.removeEventListener('abort', onStop)
    },
  }
}

const timeoutError = (origin: string, method: string, timeout: number): NetworkError =>
  new NetworkError(
    `${origin} did not answer within ${timeout / 1_000} s`,
    method === 'GET'
      ? 'Try again with more time: --timeout 60s'
      : 'A change may have been made all the same: look, then try again with more time (--timeout 60s)',
    { isPassing: true },
  )
