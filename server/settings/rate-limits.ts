import * as z from 'zod'
import { duration, issueSentence, wholeNumber } from './fields.ts'

/** At most `max` uses within `window` seconds. */
export interface RateLimit {
  readonly max: number
  readonly window: number
}

/**
 * Every limit that there is, with its default; docs/rate-limits.md says what each counts, and by what. A network is an
 * IPv4 address or an IPv6 /64.
 */
const defaults = {
  calls: { max: 100, window: '10s' },
  // A backend may ask on behalf of each visitor. A request without a token costs no statement.
  visits: { max: 5000, window: '10s' },
  sessionCalls: { max: 2000, window: '10s' },
  keyCalls: { max: 1000, window: '10s' },
  // Each adds a row to the audit trail, which is kept for as long as AUDIT_RETENTION says.
  acts: { max: 1000, window: '10m' },
  actsDaily: { max: 20_000, window: '1d' },
  organizationActs: { max: 20_000, window: '1d' },
  organizationActsEach: { max: 500, window: '1d' },
  passwordCalls: { max: 3, window: '10s' },
  mailCalls: { max: 3, window: '1m' },
  // An office of hundreds of people makes fewer mistakes in the hour in which everybody signs in, and their known
  // devices are not counted. An attacker who sprays passwords gets 2,400 guesses a day.
  networkFailures: { max: 100, window: '1h' },
  accountTries: { max: 10, window: '10m' },
  accountFailures: { max: 100, window: '30d' },
  deviceTries: { max: 10, window: '10m' },
  // A code lives for ten minutes. With so few attempts, one of half a million networks would guess one of ten thousand
  // open codes.
  userCodes: { max: 5, window: '10m' },
  userCodesInAll: { max: 100, window: '10m' },
  deviceStarts: { max: 50, window: '10m' },
  // A customer's /48 holds 65,536 networks.
  deviceStartsFromSite: { max: 200, window: '10m' },
  deviceStartsInAll: { max: 10_000, window: '10m' },
  linkStarts: { max: 20, window: '10m' },
  // A pipeline may share its network with strangers. Refusing them must stay cheap, and locking the pipeline out hard.
  exchangeFailures: { max: 300, window: '10m' },
  webhookTests: { max: 10, window: '1m' },
  emailChanges: { max: 5, window: '1h' },
  mailsToAddress: { max: 3, window: '15m' },
  mailsToAddressDaily: { max: 10, window: '1d' },
  mailsFromNetwork: { max: 20, window: '1h' },
  mailsInAll: { max: 5000, window: '1h' },
  invitationsByUser: { max: 200, window: '1h' },
  invitationsByUnverified: { max: 5, window: '1h' },
  invitationsFromNetwork: { max: 400, window: '1h' },
  invitationsInAll: { max: 5000, window: '1h' },
} as const

export type LimitName = keyof typeof defaults
export type RateLimits = Readonly<Record<LimitName, RateLimit>>

/** The limits that a config file may change. Omitted ones keep their defaults. */
export type RateLimitSettings = {
  readonly [Name in LimitName]?: { readonly max?: number | undefined; readonly window?: number | string | undefined }
}

/** Accepts the environment's text form or a JavaScript number. */
const textOrNumber = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (typeof value === 'string' ? value : JSON.stringify(value)), schema)

const limit = ({ max, window }: { readonly max: number; readonly window: string }) =>
  z
    .strictObject({
      max: textOrNumber(wholeNumber(1, 1_000_000).prefault(String(max))),
      window: textOrNumber(duration(1, 31_536_000).prefault(window)),
    })
    .prefault({})

const Schema = z
  .strictObject(Object.fromEntries(Object.entries(defaults).map(([name, given]) => [name, limit(given)])))
  .prefault({})

type Read = { readonly limits: RateLimits } | { readonly problems: readonly string[] }

/** The limits of a config file, completed by the defaults, or one sentence per problem. */
export function readRateLimits(given: unknown): Read {
  const { data, error } = Schema.safeParse(given)
  if (!error) return { limits: data as RateLimits }
  return { problems: error.issues.map((issue) => issueSentence('RATE_LIMITS', issue, namesAt(issue))) }
}

const namesAt = ({ path }: z.core.$ZodIssue): readonly string[] =>
  path.length === 0 ? Object.keys(defaults) : ['max', 'window']
