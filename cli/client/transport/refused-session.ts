import { isSessionCookie } from '../jar/content.ts'

/** A session cookie of an answer that the jar did not take. */
export interface RefusedSession {
  /** Its value, which the service takes as a bearer token too. */
  readonly token: string
  readonly reason: string
  /** Whether another address of the service would do. */
  readonly isOfAddress: boolean
}

/** `refused`: the names of all cookies that the jar did not take. A cookie without a value ends a session. */
export function refusedSessionIn(
  url: URL,
  setCookies: readonly string[],
  refused: readonly string[],
): RefusedSession | undefined {
  const { token, attributes } =
    setCookies.map(read).find(({ name, token: value }) => refused.includes(name) && isSessionCookie(name) && value) ??
    {}
  return token && attributes ? { token, ...reasonOf(url, attributes) } : undefined
}

function read(line: string) {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
  const at = pair.indexOf('=')
  return { name: pair.slice(0, at), token: pair.slice(at + 1), attributes }
}

function reasonOf({ protocol, hostname }: URL, attributes: readonly string[]): Omit<RefusedSession, 'token'> {
  if (protocol === 'http:' && attributes.some((text) => /^secure$/i.test(text)))
    return { reason: 'it is Secure and this address is http', isOfAddress: true }
  const domain = attributes.findLast((text) => /^domain=./i.test(text))?.slice('domain='.length, 260)
  if (domain && !`.${hostname}`.endsWith(`.${domain.replace(/^\./, '').toLowerCase()}`))
    return { reason: `it is for ${domain} and this address is ${hostname}`, isOfAddress: true }
  return { reason: 'it breaks the rules for cookies', isOfAddress: false }
}
