import { ClientError } from '../errors.ts'
import { checkBase } from './address.ts'
import { parseAnswer, parseIfJson } from './answer.ts'
import { type AttemptAnswer, credentialsFor, tryOnce } from './attempt.ts'
import { clientErrorOf } from './client-error.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { createHttpClient } from './http-client.ts'
import type { TransportAnswer, TransportOptions, TransportParts, TransportRequest } from './request.ts'
import { type AttemptResult, retryDelay } from './retry.ts'

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
