import { timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import type { Logger } from 'pino'
import type { AuditEventName } from '../../shared/audit-events.ts'
import { Failure } from '../../shared/failure.ts'
import { isMachineKey } from '../../shared/key-text.ts'
import type { Language } from '../../shared/languages.ts'
import { decodeLabel, labelHeader } from '../../shared/text-rules.ts'
import type { Config } from '../config.ts'
import { digestOf, sessionTokenLength } from '../crypto/token.ts'
import { languageAskedBy } from '../languages/words.ts'
import type { ActLimits, CountedAct } from '../limits/act-limits.ts'
import { canonicalIpAddress, parseIpAddress } from '../limits/ip-address.ts'
import {
  AuditRoom,
  createAuditEvent,
  type PendingAuditEvent,
  type RequestActor,
  type UnitOfWork,
} from '../request/audit-event.ts'
import type { Caller, Client } from '../request/client.ts'
import type { SecurityEvents } from '../request/security-events.ts'
import type { Cookies } from './cookies.ts'
import { addCookies, anonymousActor, type HonoEnv } from './request-state.ts'
import { logEvent } from './security-log.ts'

const rawToken = new RegExp(`^[A-Za-z0-9]{${sessionTokenLength}}$`)
/** Whether a text has the form of an unsigned token or a key. */
const isRaw = (credential: string): boolean => rawToken.test(credential) || isMachineKey(credential)

const bearer = /^Bearer +(\S+)$/i

/** What reading a client needs. Made once per service. */
export interface ClientReader {
  readonly config: Config
  readonly cookies: Cookies
  readonly log: Logger
  readonly addressOf: (c: Context<HonoEnv>) => string
  /** Null when audit events are not limited. */
  readonly actLimits: ActLimits | null
}

/** The client of a request, before any look-up. */
export function readClient(c: Context<HonoEnv>, reader: ClientReader): Client {
  const { config, cookies } = reader
  const cookieHeader = c.req.header('cookie') ?? ''
  const credential = bearerOf(c)
  const isServer = isServiceKey(config, credential)
  const isRawBearer = !isServer && isRaw(credential)
  const shown = isServer ? '' : credential
  const token = isRawBearer ? credential : readSignedToken(cookies, shown, cookieHeader)
  // Ours come first, so that a bearer value for somebody else signs nobody out.
  const imported = token === null ? cookies.readImported(cookieHeader, shown) : null
  if (imported) return new RequestClient(c, reader, { ...imported, isImported: true, isServer })
  return new RequestClient(c, reader, {
    token,
    isForgetful: cookieHeader.includes('dont_remember') && cookies.read(cookieHeader, 'dont_remember') === 'true',
    isImported: false,
    isServer,
  })
}

const bearerOf = (c: Context<HonoEnv>): string => bearer.exec(c.req.header('authorization') ?? '')?.[1] ?? ''

type KnownOfClient = Pick<Client, 'token' | 'isForgetful' | 'isImported' | 'isServer'>

/** The other fields are computed when used: most calls of a signed-in client use none of them. */
class RequestClient implements Client {
  readonly token: string | null
  readonly isForgetful: boolean
  readonly isImported: boolean
  readonly isServer: boolean
  private readonly c: Context<HonoEnv>
  private readonly reader: ClientReader

  constructor(c: Context<HonoEnv>, reader: ClientReader, known: KnownOfClient) {
    this.c = c
    this.reader = reader
    this.token = known.token
    this.isForgetful = known.isForgetful
    this.isImported = known.isImported
    this.isServer = known.isServer
  }

  get isOutdated(): boolean {
    const { token, c } = this
    if (this.isImported) return true
    return token !== null && this.reader.cookies.isOutdated(token, c.req.header('cookie') ?? '', bearerOf(c))
  }

  get address(): string {
    return this.reader.addressOf(this.c)
  }

  get deviceMarks(): readonly string[] {
    return this.reader.cookies.readMarks(this.c.req.header('cookie') ?? '')
  }

  get heldTokens(): readonly string[] {
    const { cookies } = this.reader
    const header = this.c.req.header('cookie') ?? ''
    const others = [cookies.readAdmin(header), cookies.readImported(header, '')]
    return [...cookies.readHeld(header), ...others.flatMap((other) => other?.token ?? [])]
  }

  get keptTokens(): readonly string[] {
    return this.reader.cookies.readKept(this.c.req.header('cookie') ?? '')
  }

  hasRoomFor(userId: string): boolean {
    return this.reader.cookies.hasRoomFor(this.c.req.header('cookie') ?? '', userId)
  }

  get signedUpWith(): string | null {
    return this.reader.cookies.readSignUp(this.c.req.header('cookie') ?? '')
  }

  keepSignUp(accountId: string): void {
    addCookies(this.c.get('state'), [this.reader.cookies.signUp(accountId)])
  }

  event<E extends AuditEventName>(act: UnitOfWork<E>, name: E, facts: SecurityEvents[E]): PendingAuditEvent {
    const { id: requestId, asker = anonymousActor } = this.c.get('state')
    const { isServer, address, userAgent, label } = this
    const event = createAuditEvent(name, facts, { isServer, address, userAgent, label, requestId, ...asker })
    this.refuseWithoutRoom(event)
    act.whenKept.push(() => this.tell(event))
    return event
  }

  requireRoom<E extends AuditEventName>(organizationId: string | null, ...names: E[]): AuditRoom<E> {
    const { isServer } = this
    const { asker = anonymousActor } = this.c.get('state')
    for (const name of names) this.refuseWithoutRoom({ isServer, organizationId, name, ...asker })
    return new AuditRoom(names)
  }

  /** Called before any work: an action whose event exceeds the audit trail's limit is refused as a whole. */
  private refuseWithoutRoom(event: CountedAct): void {
    const refusal = this.reader.actLimits?.refusalOf(event) ?? null
    if (refusal === null) return
    const { limit, retryAfter } = refusal
    this.c.get('state').observer?.actRefused(limit)
    throw new Failure('TOO_MANY_REQUESTS', { retryAfter })
  }

  private tell(event: PendingAuditEvent): void {
    if (event.late === null) return
    this.c.get('state').hasWritten = true
    const { name = event.name, ...late } = event.late
    this.reader.actLimits?.count(event)
    logEvent(this.c, this.reader.log, name, { ...event.facts, ...late } as SecurityEvents[typeof name])
  }

  note<E extends keyof SecurityEvents>(event: E, facts: SecurityEvents[E]): void {
    logEvent(this.c, this.reader.log, event, facts)
  }

  identify(caller: Caller): void {
    this.c.get('state').asker = actorOfRequest(caller)
  }

  get language(): Language | null {
    return languageAskedBy(this.c)
  }

  get label(): string | null {
    return decodeLabel(this.c.req.header(labelHeader) ?? '')
  }

  get userAgent(): string {
    return (this.c.req.header('user-agent') ?? '').replaceAll(/[^\x20-\x7e\xa0-\uffff]/g, ' ')
  }
}

/** The user that a session acts as, and the impersonator or key behind it. */
const actorOfRequest = ({ user, session, key }: Caller): RequestActor => ({
  actorId: user.id,
  impersonatorId: session.impersonatedBy,
  keyId: key?.id ?? null,
})

/** Compares digests, which have equal length, in constant time with every configured key. */
function isServiceKey({ SERVICE_KEY = [] }: Config, credential: string): boolean {
  if (SERVICE_KEY.length === 0 || credential === '') return false
  const digest = digestOf(credential)
  return SERVICE_KEY.map((key) => timingSafeEqual(digestOf(key), digest)).includes(true)
}

/** A validly signed bearer value replaces the cookie; an invalid one is ignored. */
function readSignedToken(cookies: Cookies, credential: string, cookieHeader: string): string | null {
  const fromBearer = credential === '' ? null : cookies.readSigned(credential)
  return fromBearer ?? (cookieHeader === '' ? null : cookies.read(cookieHeader, 'session_token'))
}

/**
 * The socket's peer, or behind trusted proxies the nearest hop in X-Forwarded-For that is not one of them. Logs a
 * warning once when an untrusted peer sends the header, because behind an unlisted proxy all people count as one.
 */
export function createAddressOf({ TRUSTED_PROXIES }: Config, log: Logger): ClientReader['addressOf'] {
  const isTrusted = (address: string) => TRUSTED_PROXIES.some((matches) => matches(address))
  return (c) => {
    const peer = canonicalIpAddress(c.env?.incoming?.socket.remoteAddress ?? '')
    const forwarded = c.req.header('x-forwarded-for')
    if (forwarded === undefined) return peer
    if (isTrusted(peer)) return nearestUntrustedHop(peer, forwarded.split(','), isTrusted)
    if (!warnedLoggers.has(log)) log.warn(untrustedProxyWarning)
    warnedLoggers.add(log)
    return peer
  }
}

/** Loggers that were already warned: one per process. */
const warnedLoggers = new WeakSet<Logger>()

const untrustedProxyWarning =
  "ignored X-Forwarded-For from a peer that is not a trusted proxy. If it is your proxy, set TRUSTED_PROXIES to its address: until then all its clients share one client's rate limits"

/** Some proxies write the port too, such as Azure's: `203.0.113.9:50412` or `[2001:db8::1]:50412`. */
const withoutPort = (hop: string): string => hop.trim().replace(/^(?:([\d.]+)|\[([^\]]*)\])(?::\d{1,5})?$/, '$1$2')

/** Walks from the right past trusted hops. At an invalid entry, the last valid hop counts. */
function nearestUntrustedHop(peer: string, hops: readonly string[], isTrusted: (address: string) => boolean): string {
  let last = peer
  for (const hop of hops.toReversed()) {
    const address = (parseIpAddress(hop) ?? parseIpAddress(withoutPort(hop)))?.toString()
    if (address === undefined) return last
    last = address
    if (!isTrusted(address)) return last
  }
  return last
}
