import type { App } from '../app.ts'
import type { Config } from '../config.ts'
import { checkOutput, checkRefusal, checkRetry } from './check-answer.ts'
import { checkSetCookies } from './set-cookie.ts'

// biome-ignore lint: the answers of tests are looked into freely
export type Json = ReturnType<typeof JSON.parse>

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Parsed JSON; undefined for an empty body or another type. */
  readonly body: Json
  readonly setCookies: readonly string[]
}

/** Somebody who calls the app and keeps its cookies, as a browser or our command line would. */
export interface Visitor {
  readonly cookies: Map<string, string>
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  /** Any request: nothing is added but the peer's address and the cookies. */
  send(path: string, init: RequestInit): Promise<Reply>
}

let addresses = 0

/** Each visitor comes from an address of their own, unless one is given. */
export function createVisitor(app: App, config: Config, address = nextAddress()): Visitor {
  const cookies = new Map<string, string>()
  const send = async (path: string, init: RequestInit): Promise<Reply> => {
    const headers = new Headers(init.headers)
    if (cookies.size > 0 && !headers.has('cookie')) headers.set('cookie', cookieHeader(cookies))
    const url = path.startsWith('http') ? path : `${config.BASE_URL.origin}${config.BASE_PATH}${path}`
    const env = { incoming: { socket: { remoteAddress: address } } }
    const response = await app.request(url, { ...init, headers }, env as never)
    const setCookies = response.headers.getSetCookie()
    checkSetCookies(setCookies, config)
    for (const line of setCookies) keepCookie(cookies, line)
    const text = await response.text()
    checkRetry(response.status, response.headers)
    for (const check of [checkOutput, checkRefusal])
      check(init.method ?? 'GET', path.replace(/\?.*$/s, ''), response.status, text)
    return { status: response.status, headers: response.headers, text, body: parse(text), setCookies }
  }
  return {
    cookies,
    send,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, body = {}, headers = {}) =>
      send(path, { method: 'POST', body: JSON.stringify(body), headers: jsonHeaders(body, headers) }),
  }
}

const jsonHeaders = (body: unknown, headers: Record<string, string>) => ({
  'content-type': 'application/json',
  'content-length': String(Buffer.byteLength(JSON.stringify(body))),
  ...headers,
})

export const cookieHeader = (cookies: ReadonlyMap<string, string>): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** What a browser does with a Set-Cookie line. */
export function keepCookie(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';')
  const name = pair.slice(0, pair.indexOf('='))
  const value = pair.slice(pair.indexOf('=') + 1)
  if (value === '' || /max-age=0/i.test(line)) cookies.delete(name)
  else cookies.set(name, value)
}

function nextAddress(): string {
  addresses += 1
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}

function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
