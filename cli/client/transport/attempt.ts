import type { Jar } from '../../accounts/accounts.ts'
import { LocalStateError, UnkeptAnswerError } from '../errors.ts'
import { urlOf } from './address.ts'
import type { RawAnswer } from './answer.ts'
import type { HttpRequest, HttpResponse } from './http-client.ts'
import { type RefusedSession, refusedSessionIn } from './refused-session.ts'
import { type AttemptProgress, recordOf, type TransportParts, type TransportRequest } from './request.ts'

/** The credentials of a request. Empty texts when it has none. */
interface Credentials {
  readonly authorization: string
  readonly cookie: string
}

export interface AttemptAnswer extends RawAnswer {
  readonly sent: Credentials
  readonly refusedSession: RefusedSession | undefined
}

/** A token, or cookies without one: never both. */
export async function credentialsFor(
  { options, base }: TransportParts,
  request: TransportRequest,
): Promise<Credentials> {
  const token = request.token ?? (request.withoutToken ? undefined : (options.token ?? keptToken(options.jar, base)))
  if (token !== undefined) return { authorization: `Bearer ${token}`, cookie: '' }
  return { authorization: '', cookie: (await options.jar?.cookieHeader(urlOf(base, request.path).href)) ?? '' }
}

/** Like the jar's cookies, its token is sent to its own origin only. */
const keptToken = (jar: Jar | undefined, base: URL): string | undefined =>
  jar?.origin === base.origin ? jar.token() : undefined

/** Sends a request once. Cookies of the answer are stored even when its body cannot be read. */
export async function tryOnce(
  sender: TransportParts,
  request: TransportRequest,
  { signal, attempt }: { readonly signal: AbortSignal; readonly attempt: number },
): Promise<AttemptAnswer> {
  const sent = await credentialsFor(sender, request)
  const outgoing = outgoingOf(sender, request, sent)
  const start = performance.now()
  const result: AttemptProgress = { refused: [] }
  try {
    const incoming = await sender.httpClient.send({ ...outgoing, signal })
    result.incoming = incoming
    const [kept, text] = await Promise.allSettled([keepCookies(sender, outgoing.url, incoming, sent), incoming.text()])
    if (kept.status === 'rejected') throw unkeptError(kept.reason, request.method, incoming.status)
    result.refused = kept.value
    const refusedSession = refusedSessionIn(outgoing.url, incoming.setCookies, result.refused)
    return { status: incoming.status, headers: incoming.headers, text: valueOf(text), sent, refusedSession }
  } catch (fault) {
    result.fault = fault
    throw fault
  } finally {
    sender.options.log?.(recordOf(outgoing, result, { attempt, ms: performance.now() - start }))
  }
}

// An answer to a token may set cookies of the token's account, which need not be the jar's.
async function keepCookies(
  { options }: TransportParts,
  url: URL,
  { setCookies }: HttpResponse,
  { authorization, cookie }: Credentials,
): Promise<readonly string[]> {
  if (authorization !== '' || !options.jar || setCookies.length === 0) return []
  return options.jar.store(url.href, setCookies, cookie)
}

function unkeptError(cause: unknown, method: string, status: number): unknown {
  if (!(cause instanceof LocalStateError)) return cause
  const { message, hint } = cause
  // Without this sentence, a change would seem not to have been made.
  const done = method !== 'GET' && status < 300 ? 'The service did it, but its cookies are not kept. ' : ''
  return new UnkeptAnswerError(status, `${done}${message}`, { hint, cause })
}

function outgoingOf(
  { options, base }: TransportParts,
  request: TransportRequest,
  sent: Credentials,
): Omit<HttpRequest, 'signal'> {
  const { method, path, query, body, headers } = request
  const isRead = method === 'GET'
  const own = {
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': options.userAgent,
    ...(options.language === undefined ? {} : { 'accept-language': options.language }),
    ...(isRead ? {} : { 'content-type': 'application/json', origin: base.origin }),
  }
  return {
    method,
    url: urlOf(base, path, query),
    headers: { ...own, ...headers, ...headersOf(sent) },
    body: isRead ? null : JSON.stringify(body ?? {}),
  }
}

const headersOf = (sent: Credentials): Record<string, string> =>
  Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ''))

function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}
