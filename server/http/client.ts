import { timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import type { Logger } from 'pino'
import { parseAddress } from '../address.ts'
import type { Config } from '../config.ts'
import { digestOf, sessionTokenLength } from '../crypto/token.ts'
import type { Client } from '../request.ts'
import type { SecurityEvents } from '../security-events.ts'
import type { Cookies } from './cookies.ts'
import type { Env } from './exchange.ts'
import { logEvent } from './security-log.ts'

const rawToken = new RegExp(`^[A-Za-z0-9]{${sessionTokenLength}}$`)
const bearer = /^Bearer +(\S+)$/i

export interface Presented extends Client {
  /** Proven by signature alone: then a flood counts by session, without asking the database. */
  readonly isSigned: boolean
  /** A bearer token without a signature: it may be anything until the database knows it. */
  readonly isRawBearer: boolean
}

interface Reading {
  readonly config: Config
  readonly cookies: Cookies
  readonly log: Logger
}

/** What a request says about its client, before anything is looked up. */
export function readClient(c: Context<Env>, { config, cookies, log }: Reading): Presented {
  const cookieHeader = c.req.header('cookie') ?? ''
  const [, credential = ''] = bearer.exec(c.req.header('authorization') ?? '') ?? []
  const isServer = isServiceKey(config, credential)
  const isRawBearer = !isServer && rawToken.test(credential)
  const signed = isRawBearer ? null : readSignedToken(cookies, isServer ? '' : credential, cookieHeader)
  return new RequestClient(
    c,
    { config, log },
    {
      token: isRawBearer ? credential : signed,
      isForgetful: cookieHeader.includes('dont_remember') && cookies.read(cookieHeader, 'dont_remember') === 'true',
      isServer,
      isSigned: signed !== null,
      isRawBearer,
    },
  )
}

type Known = Omit<Presented, 'address' | 'userAgent' | 'note'>

/** Address and user agent are read when somebody needs them: most calls of a signed-in client need neither. */
class RequestClient implements Presented {
  readonly token: string | null
  readonly isForgetful: boolean
  readonly isServer: boolean
  readonly isSigned: boolean
  readonly isRawBearer: boolean
  private readonly c: Context<Env>
  private readonly config: Config
  private readonly log: Logger

  constructor(c: Context<Env>, { config, log }: Omit<Reading, 'cookies'>, known: Known) {
    this.c = c
    this.config = config
    this.log = log
    this.token = known.token
    this.isForgetful = known.isForgetful
    this.isServer = known.isServer
    this.isSigned = known.isSigned
    this.isRawBearer = known.isRawBearer
  }

  get address(): string {
    return clientAddress(this.c, this.config)
  }

  note<E extends keyof SecurityEvents>(event: E, facts: SecurityEvents[E]): void {
    logEvent(this.c, this.log, event, facts)
  }

  get userAgent(): string {
    return (this.c.req.header('user-agent') ?? '').replaceAll(/[^\x20-\x7e\xa0-\uffff]/g, ' ')
  }
}

/** Compared by digest: of equal length, in constant time. */
const isServiceKey = ({ SERVICE_KEY }: Config, credential: string): boolean =>
  SERVICE_KEY !== undefined && credential !== '' && timingSafeEqual(digestOf(SERVICE_KEY), digestOf(credential))

/** A validly signed bearer value stands in for the cookie; an invalid one is as if it were not there (contract 10.2). */
function readSignedToken(cookies: Cookies, credential: string, cookieHeader: string): string | null {
  const fromBearer = credential === '' ? null : cookies.readSigned(credential)
  return fromBearer ?? (cookieHeader === '' ? null : cookies.read(cookieHeader, 'session_token'))
}

/** The socket's peer; behind trusted proxies, the nearest hop in X-Forwarded-For that is none of them (contract 1.12). */
function clientAddress(c: Context<Env>, { TRUSTED_PROXIES }: Config): string {
  const peer = parseAddress(c.env?.incoming?.socket.remoteAddress ?? '')?.toString() ?? ''
  const isTrusted = (address: string) => TRUSTED_PROXIES.some((matches) => matches(address))
  const forwarded = c.req.header('x-forwarded-for')
  return forwarded === undefined || !isTrusted(peer) ? peer : walk(peer, forwarded.split(','), isTrusted)
}

/** From the right, past trusted hops; a bad entry means that the last good hop counts. */
function walk(peer: string, hops: readonly string[], isTrusted: (address: string) => boolean): string {
  let last = peer
  for (const hop of hops.toReversed()) {
    const address = parseAddress(hop)?.toString()
    if (address === undefined) return last
    last = address
    if (!isTrusted(address)) return last
  }
  return last
}
