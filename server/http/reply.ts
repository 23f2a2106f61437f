import type { Context } from 'hono'
import { type Failure, wireOf } from '../../shared/failure.ts'
import type { IssuedSession, ResolvedSession } from '../request/client.ts'
import { issuedFrom, renewCookies } from './caller.ts'
import { type Edge, issueSession, noteFailure } from './edge.ts'
import { queryOf } from './input.ts'
import { addCookies, type HonoEnv } from './request-state.ts'

/** What a route may add to the response: cookies and headers. Use cases never see it. */
export interface Reply {
  issue(issued: IssuedSession): void
  /** The same for a session that was looked up. */
  reissue(resolved: ResolvedSession): void
  /** Issues the session of somebody who signed in, and lets the page know the method: `email`, or a provider's id. */
  signIn(issued: IssuedSession, method: string): void
  /** Issues the session's cookies again when that is due. */
  renew(resolved: ResolvedSession): void
  /** Sets the cookie that makes this a known device, if there is a mark. */
  mark(mark: string | null): void
  /** Removes the client's cached session, if the service lets it keep one. */
  clearCachedSession(): void
  /** Removes the session's cookies. */
  clear(): void
  /** Removes all our cookies, after the user was deleted. */
  clearAll(): void
  /** Replaces an earlier line for the same cookie. */
  setCookie(line: string): void
  /** Sends a token for other services in a header of its own. */
  sendToken(jwt: string): void
  /** Lets anybody cache the response for that many seconds. */
  cacheFor(seconds: number): void
  /** Sets a Link header: the list continues at this offset. */
  setNextOffset(offset: number): void
  /** Replaces the page's Content-Security-Policy. */
  allow(policy: string): void
  /** For a page that explains a refusal itself: sets the refusal's status and retry headers. */
  refuse(failure: Failure): void
}

/** A class, not an object of closures: V8 keeps each closure, and its request, until a full collection. */
export class RequestReply implements Reply {
  private readonly c: Context<HonoEnv>
  private readonly edge: Edge

  constructor(c: Context<HonoEnv>, edge: Edge) {
    this.c = c
    this.edge = edge
  }

  private get cookieHeader(): string {
    return this.c.req.header('cookie') ?? ''
  }

  issue(issued: IssuedSession): void {
    issueSession(this.c, this.edge, issued)
  }

  reissue(resolved: ResolvedSession): void {
    this.issue(issuedFrom(resolved))
  }

  signIn(issued: IssuedSession, method: string): void {
    this.issue(issued)
    const line = this.edge.cookies.lastMethod(method)
    if (line !== null) this.setCookie(line)
  }

  renew(resolved: ResolvedSession): void {
    if (resolved.isRenewed) renewCookies(this.c, this.edge, resolved)
  }

  mark(mark: string | null): void {
    if (mark !== null) this.setCookie(this.edge.cookies.mark(mark))
  }

  clearCachedSession(): void {
    for (const line of this.edge.cookies.clearCachedSession()) this.setCookie(line)
  }

  clear(): void {
    const { cookies } = this.edge
    const header = this.cookieHeader
    const active = cookies.read(header, 'session_token')
    const kept = active === null ? [] : cookies.forget(header, active)
    const others = [...cookies.clearAdmin(header), ...cookies.clearImported(header)]
    const state = this.c.get('state')
    state.setCookies = [...cookies.clear(), ...others, ...kept]
    delete state.authToken
  }

  clearAll(): void {
    const { cookies } = this.edge
    this.clear()
    for (const line of cookies.clearMarks(this.cookieHeader)) this.setCookie(line)
  }

  setCookie(line: string): void {
    addCookies(this.c.get('state'), [line])
  }

  sendToken(jwt: string): void {
    this.c.get('state').jwt = jwt
  }

  cacheFor(seconds: number): void {
    this.c.get('state').cacheControl = `public, max-age=${seconds}`
  }

  setNextOffset(offset: number): void {
    const query = queryOf(this.c)
    query.set('offset', String(offset))
    this.c.get('state').link = `<?${query.toString()}>; rel="next"`
  }

  allow(policy: string): void {
    this.c.get('state').policy = policy
  }

  refuse(failure: Failure): void {
    this.c.get('state').refusedWith = wireOf(failure.failure).status
    noteFailure(this.c, this.edge, failure)
  }
}
