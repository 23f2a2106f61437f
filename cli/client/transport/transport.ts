import { setTimeout as sleep } from 'node:timers/promises'
import { ClientError, NetworkError } from '../errors.ts'
import { checkBase } from './address.ts'
import { parseAnswer, parseIfJson } from './answer.ts'
import { type AttemptAnswer, credentialsFor, tryOnce } from './attempt.ts'
import { clientErrorOf } from './client-error.ts'
import { createHttpClient } from './http-client.ts'
import type { TransportAnswer, TransportOptions, TransportParts, TransportRequest } from './request.ts'

export interface Transport {
  readonly send: (request: TransportRequest) => Promise<TransportAnswer>
  /** Ends idle connections. */
  readonly close: () => Promise<void>
}

/** The one way to the service. Nothing is loaded or opened before the first request. */
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
    const wait = retryDelay(tryOf(request.method, outcome), retried, { retries, delay })
    if (wait === undefined || wait >= deadline.left()) return finish(sender, request, { outcome, retried: attempt - 1 })
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

// Another process may have signed in anew, or got a fresh cookie, after this one read the jar.
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
  // Cookies that stay after a sign-out, such as the known device, sign nobody in.
  return sender.options.jar.isSignedIn() && (now.authorization !== authorization || now.cookie !== cookie)
}

function tryOf(method: string, outcome: Outcome): AttemptResult {
  if ('answer' in outcome) return { method, ...outcome.answer }
  return { method, isPassingFault: outcome.fault instanceof ClientError && outcome.fault.isPassing }
}

function finish(
  { base }: TransportParts,
  { accept }: TransportRequest,
  { outcome, retried }: { readonly outcome: Outcome; readonly retried: number },
): TransportAnswer {
  if (!('answer' in outcome)) throw outcome.fault
  const { status, headers, text } = outcome.answer
  const body = (accept === 'any' ? parseIfJson : parseAnswer)(base.origin, outcome.answer)
  return { status, headers, body, text, contentType: headers['content-type'], retried }
}

/** How one try ended. */
interface AttemptResult {
  readonly method: string
  /** Undefined where no answer came. */
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** A network fault that another try may not meet. */
  readonly isPassingFault?: boolean
}

interface RetryRules {
  readonly retries: number
  /** Milliseconds before the first repetition. */
  readonly delay: number
}

/**
 * Milliseconds to wait before the same request is sent again, undefined when it is not: GET on network faults, any verb
 * on 429 and on 503 with Retry-After, where the service did nothing. No other write is ever repeated.
 */
function retryDelay(last: AttemptResult, retried: number, { retries, delay }: RetryRules): number | undefined {
  if (retried >= retries || !mayRepeat(last)) return undefined
  const asked = retryAfter(last.headers)
  return asked === undefined ? delay * 2 ** retried * (0.8 + Math.random() * 0.4) : asked + Math.random() * delay * 0.2
}

function mayRepeat({ method, status, headers, isPassingFault }: AttemptResult): boolean {
  if (status === undefined) return method === 'GET' && isPassingFault === true
  return status === 429 || (status === 503 && retryAfter(headers) !== undefined)
}

/** Milliseconds of Retry-After or X-Retry-After: seconds, or a date (RFC 9110 section 10.2.3). */
function retryAfter(headers: Readonly<Record<string, string>> = {}): number | undefined {
  const text = headers['retry-after'] ?? headers['x-retry-after']
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** The time that one request has, with all its tries and waits; and the user's Ctrl-C. */
interface Deadline {
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
      : 'A change may have been made all the same: look, then try again with more time (--timeout 60s)',
    { isPassing: true },
  )
