import { setTimeout as sleep } from 'node:timers/promises'
import { ClientError, NetworkError } from '../errors.ts'
import { checkBase } from './address.ts'
import { parseAnswer } from './answer.ts'
import { type AttemptAnswer, credentialsFor, tryOnce } from './attempt.ts'
import { clientErrorOf } from './client-error.ts'
import { createHttpClient } from './http-client.ts'
import type { TransportAnswer, TransportOptions, TransportParts, TransportRequest } from './request.ts'

export interface Transport {
  readonly send: (request: TransportRequest) => Promise<TransportAnswer>
  /** Closes idle connections. */
  readonly close: () => Promise<void>
}

/** Every request to the service goes through here. Nothing is loaded or opened before the first one. */
export function createTransport(options: TransportOptions): Transport {
  const base = checkBase(options.baseUrl, options)
  const httpClient = createHttpClient(base, options.connectTimeout ?? 10_000, options.proxy ?? {})
  return { send: (request) => send({ options, base, httpClient }, request), close: () => httpClient.close() }
}

type Outcome = { readonly answer: AttemptAnswer } | { readonly fault: unknown }

async function send(sender: TransportParts, request: TransportRequest): Promise<TransportAnswer> {
  const { timeout, signal } = sender.options
  const deadline = startDeadline({ origin: sender.base.origin, method: request.method, timeout, signal })
  try {
    return await sendBefore(deadline, sender, request)
  } finally {
    deadline.close()
  }
}

async function sendBefore(
  deadline: Deadline,
  sender: TransportParts,
  request: TransportRequest,
): Promise<TransportAnswer> {
  const { retries, retryDelay: delay = 1_000 } = sender.options
  let isRenewed = false
  for (let retried = 0, attempt = 1; ; attempt++) {
    const outcome = await outcomeOf(sender, request, { deadline, attempt })
    if (!isRenewed && (await hasNewCredentials(sender, request, outcome))) {
      isRenewed = true
      continue
    }
    const wait = retryDelay(attemptResultOf(request.method, outcome), retried, { retries, delay })
    if (wait === undefined || wait >= deadline.left()) return finish(sender, outcome)
    await deadline.pause(wait)
    retried++
  }
}

async function outcomeOf(
  sender: TransportParts,
  request: TransportRequest,
  { deadline, attempt }: { readonly deadline: Deadline; readonly attempt: number },
): Promise<Outcome> {
  try {
    return { answer: await tryOnce(sender, request, { signal: deadline.signal, attempt }) }
  } catch (fault) {
    if (!(fault instanceof ClientError)) deadline.check()
    return { fault: clientErrorOf(sender.base.origin, fault, request.method) }
  }
}

// Another process may have signed in again or refreshed a cookie since this one read the jar.
async function hasNewCredentials(
  sender: TransportParts,
  request: TransportRequest,
  outcome: Outcome,
): Promise<boolean> {
  if (!('answer' in outcome) || outcome.answer.status !== 401 || !sender.options.jar) return false
  const { authorization, cookie } = outcome.answer.sent
  if (authorization === '' && cookie === '') return false
  await sender.options.jar.reload()
  const now = await credentialsFor(sender, request)
  // Cookies that survive a sign-out, such as the known-device cookie, sign nobody in.
  return sender.options.jar.isSignedIn() && (now.authorization !== authorization || now.cookie !== cookie)
}

function attemptResultOf(method: string, outcome: Outcome): AttemptResult {
  if ('answer' in outcome) return { method, ...outcome.answer }
  return { method, isTransientFault: outcome.fault instanceof ClientError && outcome.fault.isTransient }
}

function finish({ base }: TransportParts, outcome: Outcome): TransportAnswer {
  if (!('answer' in outcome)) throw outcome.fault
  const { status, headers, refusedSession } = outcome.answer
  return { status, headers, body: parseAnswer(base.origin, outcome.answer), refusedSession }
}

/** The outcome of one attempt. */
interface AttemptResult {
  readonly method: string
  /** Undefined when no answer came. */
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** A network fault that may not recur on a retry. */
  readonly isTransientFault?: boolean
}

interface RetryRules {
  readonly retries: number
  /** Milliseconds before the first retry. */
  readonly delay: number
}

/**
 * Milliseconds before a retry, or undefined for none. GET is retried on network faults. Any method is retried on 429,
 * and on 503 with Retry-After, since the service has then done nothing. Other writes are never retried.
 */
function retryDelay(last: AttemptResult, retried: number, { retries, delay }: RetryRules): number | undefined {
  if (retried >= retries || !isRetryable(last)) return undefined
  const asked = retryAfter(last.headers)
  return asked === undefined ? delay * 2 ** retried * (0.8 + Math.random() * 0.4) : asked + Math.random() * delay * 0.2
}

function isRetryable({ method, status, headers, isTransientFault }: AttemptResult): boolean {
  if (status === undefined) return method === 'GET' && isTransientFault === true
  return status === 429 || (status === 503 && retryAfter(headers) !== undefined)
}

/** Retry-After or X-Retry-After in milliseconds, from seconds or a date (RFC 9110 section 10.2.3). */
function retryAfter(headers: Readonly<Record<string, string>> = {}): number | undefined {
  const text = headers['retry-after'] ?? headers['x-retry-after']
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** Limits a request with all its retries and pauses. The user's Ctrl+C ends it too. */
interface Deadline {
  readonly signal: AbortSignal
  /** In milliseconds. */
  left(): number
  pause(milliseconds: number): Promise<void>
  /** Throws once the deadline has passed or the user has cancelled, with a timeout error or the user's reason. */
  check(): void
  /** Releases the timer and the listener. */
  close(): void
}

interface Limits {
  readonly origin: string
  readonly method: string
  /** In milliseconds. */
  readonly timeout: number
  readonly signal: AbortSignal | undefined
}

// Does not use AbortSignal.any, which leaks memory on a long-lived signal (nodejs/node#54614).
function startDeadline({ origin, method, timeout, signal: stop }: Limits): Deadline {
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
      : 'The change may have been made anyway: check, then try again with more time (--timeout 60s)',
    { isTransient: true },
  )
