import * as z from 'zod'
import { clientApis } from '../../shared/client-api.ts'
import { canonicalEmail, isEmail } from '../../shared/email.ts'
import { languages } from '../../shared/languages.ts'
import { defaultApiPath } from '../../shared/service-address.ts'
import { tokenAlgorithms } from '../../shared/token.ts'
import { type IpRange, parseIpRange } from '../limits/ip-address.ts'
import { canonicalPath } from './canonical-path.ts'
import { databaseAddress } from './database-address.ts'
import { fetchedAddress } from './fetched-address.ts'
import { duration, flag, list, loginAddress, wholeNumber } from './fields.ts'
import { invitationUrl } from './invitation-url.ts'
import { parseTrustedOrigin } from './trusted-origin.ts'

/** A proxy whose X-Forwarded-For header is trusted. */
type TrustedProxy = IpRange

/** One entry of TRUSTED_PROXIES: an address or a CIDR range. */
export const parseProxies: (entry: string) => TrustedProxy = parseIpRange

const day = 86_400

/**
 * Never shown in messages, passed to child processes or left in the environment. A server's address contains its
 * password.
 */
export const secretKeys: readonly string[] = [
  'SECRET',
  'SECRETS',
  'DATABASE_URL',
  'DATABASE_REPLICA_URL',
  'SMTP_URL',
  'SERVICE_KEY',
  'IMPORTED_SECRET',
]

/**
 * Words from samples and documentation. Anybody could sign with such a secret. They are too long to occur in a random
 * value by chance.
 */
const samples =
  /secret|passwo?r?d|change.?(me|this)|replace|example|sample|default|insecure|postern|your[-_ ]?(own|key|random|long|super|very)|abcdefgh|qwerty/i

/** Whether the text is one short piece repeated, like 1234567890. */
const isRepeated = (text: string): boolean =>
  Array.from({ length: 16 }, (_, index) => index + 1).some((size) => text.slice(size) === text.slice(0, -size))

const secret = z
  .string()
  .min(32, { error: 'at least 32 random characters; make one with: openssl rand -base64 32', abort: true })
  .refine((text) => new Set(text).size >= 10 && !samples.test(text) && !isRepeated(text), {
    error: 'a random value, not a sample; make one with: openssl rand -base64 32',
  })

/** Whether we would take it as a secret of our own. */
export const isStrongSecret = (text: string): boolean => secret.safeParse(text).success

const isOrigin = (text: string): boolean => new URL(text).href === `${new URL(text).origin}/`

const origin = z
  .url({ protocol: /^https?$/, error: 'an absolute http or https address, like https://id.example.com', abort: true })
  .refine(isOrigin, 'an address without path, query or user, like https://id.example.com; the path is BASE_PATH')

/** `no-reply@example.com` or `Example <no-reply@example.com>`: one plain name, one address, no line break. */
const sender = z.string().regex(/^(?:[^<>"@,;:\\\p{Cc}]{1,100}<[^<>\s@,;]+@[^<>\s@,;]+>|[^<>\s@,;]+@[^<>\s@,;]+)$/u, {
  error: 'an address like no-reply@example.com, or Example <no-reply@example.com>',
})

const issuer = fetchedAddress({
  address: 'https addresses of issuers, exactly as in their tokens',
  secure: 'https addresses',
})

const checked = <T>(parse: (text: string) => T) =>
  list.transform((entries, context) =>
    entries.flatMap((entry): T[] => {
      try {
        return [parse(entry)]
      } catch (error) {
        context.issues.push({ code: 'custom', input: entry, message: (error as Error).message })
        return []
      }
    }),
  )

/** An IPv6 address may have the brackets that it has in a URL. */
const host = z
  .string()
  .min(1)
  .transform((text) => text.replace(/^\[(.+)\]$/, '$1'))
const name = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'letters, digits, _ and -')
/** At least two labels, and no IP address. */
const domain = z
  .string()
  .toLowerCase()
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/, 'a domain like example.com')
const headerName = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9-]{1,64}$/, 'names of headers like x-client-version')
const sentence = z.string().min(1).max(500, 'at most 500 characters')
const address = z.string().refine(isEmail, 'addresses like ann@example.com').transform(canonicalEmail)

/** Seconds. Two fifths more are for connecting, and both together stay below a request's deadline. */
const maxDatabaseTimeout = 10

/** Accounts that one browser may be signed in to, at most. */
export const mostDeviceSessions = 20

/** The schema of all settings, in the environment and the config file: key, allowed values, default. */
export const SettingsSchema = z.object({
  NODE_ENV: z.string().default('development'),
  HOST: host.default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).prefault('4100'),
  LISTEN_EARLY: flag.prefault('on'),
  STOP_NOTICE: duration(0, 60).prefault('1s'),
  WORKERS: z
    .union([z.literal('auto'), wholeNumber(1, 256)], { error: 'a whole number from 1 to 256, or auto' })
    .prefault('1'),
  BASE_URL: origin.optional(),
  BASE_PATH: z
    .string()
    .regex(canonicalPath, 'a path like /api/auth, without a slash at the end')
    .default(defaultApiPath),
  DATABASE_URL: databaseAddress.optional(),
  DATABASE_REPLICA_URL: databaseAddress.optional(),
  DATA_DIR: z.string().min(1).optional(),
  DATABASE_POOL: wholeNumber(1, 1000).prefault('10'),
  DATABASE_PREPARE: flag.prefault('on'),
  DATABASE_TIMEOUT: duration(1, maxDatabaseTimeout).prefault('5s'),
  MIGRATE: flag.prefault('on'),
  API_REFERENCE: flag.optional(),
  SECRET: secret.optional(),
  SECRETS: list.pipe(z.array(secret).min(1, 'at least one secret')).optional(),
  IMPORTED_SECRET: z.string().min(1).optional(),
  IMPORTED_COOKIE: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,128}$/, 'the name of a cookie, like __Secure-better-auth.session_token')
    .optional(),
  CLIENT_API: z.enum(clientApis).default('1.2'),
  TRUSTED_ORIGINS: checked(parseTrustedOrigin).prefault(''),
  CORS_HEADERS: list.pipe(z.array(headerName)).prefault('traceparent,tracestate'),
  TRUSTED_PROXIES: checked(parseProxies).prefault(''),
  OUTBOUND_PRIVATE_NETWORKS: checked(parseIpRange).prefault(''),
  WEBHOOK_PRIVATE_NETWORKS: checked(parseIpRange).prefault(''),
  STRICT_ORIGIN: flag.prefault('off'),
  RATE_LIMIT: flag.prefault('on'),
  SERVICE_KEY: list.pipe(z.array(secret).min(1, 'at least one key')).optional(),
  SMTP_URL: loginAddress(
    /^smtps?$/,
    'an address like smtp://user:password@mail.example.com:587, or smtps://…',
  ).optional(),
  MAIL_FROM: sender.optional(),
  DEFAULT_LANGUAGE: z.enum(languages).default('en'),
  EMAIL_PASSWORD: flag.prefault('on'),
  SIGN_UP: flag.prefault('on'),
  AUTO_SIGN_IN: flag.prefault('on'),
  REQUIRE_EMAIL_VERIFICATION: flag.prefault('off'),
  SEND_VERIFICATION_ON_SIGN_UP: flag.optional(),
  AUTO_SIGN_IN_AFTER_VERIFICATION: flag.prefault('off'),
  VERIFICATION_EMAIL: flag.prefault('on'),
  VERIFICATION_LINK: z.enum(['page', 'direct']).default('page'),
  RESET_PASSWORD: flag.prefault('on'),
  CHANGE_EMAIL: flag.prefault('on'),
  DELETE_USER: flag.prefault('on'),
  DELETE_USER_MODE: z.enum(['immediate', 'email']).default('immediate'),
  EMAIL_VERIFICATION_EXPIRES_IN: duration(60, 30 * day).prefault('1h'),
  RESET_PASSWORD_EXPIRES_IN: duration(60, day).prefault('1h'),
  DELETE_TOKEN_EXPIRES_IN: duration(60, 30 * day).prefault('24h'),
  MIN_PASSWORD_LENGTH: wholeNumber(1, 1024).prefault('8'),
  MAX_PASSWORD_LENGTH: wholeNumber(1, 1024).prefault('128'),
  ARGON2_MEMORY: wholeNumber(19_456, 131_072).prefault('19456'),
  ARGON2_PASSES: wholeNumber(2, 10).prefault('2'),
  ARGON2_LANES: wholeNumber(1, 4).prefault('1'),
  PASSWORD_QUEUE: wholeNumber(1, 10_000).prefault('32'),
  PASSWORD_QUEUE_TIMEOUT: duration(1, 8).prefault('2s'),
  ACCOUNT_LINKING: flag.prefault('on'),
  TRUSTED_PROVIDERS: list.prefault('apple,github,google'),
  ALLOW_DIFFERENT_EMAILS: flag.prefault('off'),
  ALLOW_UNLINKING_ALL: flag.prefault('off'),
  UPDATE_ACCOUNT_ON_SIGN_IN: flag.prefault('on'),
  STATE_COOKIE: flag.prefault('on'),
  SESSION_EXPIRES_IN: duration(60, 400 * day).prefault('7d'),
  SESSION_FRESH_AGE: duration(0, 400 * day).prefault('1d'),
  SESSION_UPDATE_AGE: duration(0, 400 * day).prefault('1d'),
  SESSION_REFRESH: flag.prefault('on'),
  SESSION_MAX_AGE: duration(60, 3650 * day).prefault('90d'),
  SESSION_LIMIT: wholeNumber(1, 10_000).prefault('100'),
  MULTI_SESSION: wholeNumber(0, mostDeviceSessions).prefault('0'),
  LAST_LOGIN_METHOD: flag.prefault('off'),
  COOKIE_CACHE: flag.prefault('off'),
  COOKIE_CACHE_MAX_AGE: duration(1, 300).prefault('60'),
  COOKIE_PREFIX: name
    .regex(/^(?!__(?:Host|Secure|Http|Host-Http)-)/i, 'a name without the beginning of those that browsers reserve')
    .default('postern'),
  COOKIE_HOST_PREFIX: flag.prefault('off'),
  COOKIE_DOMAIN: domain.optional(),
  COOKIE_SAME_SITE: z.enum(['lax', 'strict', 'none']).default('lax'),
  JWT_ALGORITHM: z.enum(tokenAlgorithms).default('EdDSA'),
  JWT_EXPIRES_IN: duration(60, day).prefault('15m'),
  JWT_ISSUER: z.string().min(1).optional(),
  JWT_AUDIENCE: list.pipe(z.array(z.string()).min(1, 'at least one name')).optional(),
  JWT_CLAIMS: z.enum(['full', 'minimal']).default('full'),
  JWT_HEADER: flag.prefault('on'),
  JWT_ROTATION: duration(0, 3650 * day).prefault('90d'),
  JWKS_MAX_AGE: duration(60, day).prefault('15m'),
  TEAMS: flag.prefault('on'),
  DEFAULT_TEAM: flag.prefault('on'),
  MAXIMUM_TEAMS: wholeNumber(1, 10_000).prefault('100'),
  MAXIMUM_MEMBERS_PER_TEAM: wholeNumber(1, 100_000).prefault('100000'),
  ALLOW_REMOVING_ALL_TEAMS: flag.prefault('off'),
  ROLE_LIMIT: wholeNumber(0, 100).prefault('25'),
  MEMBERSHIP_LIMIT: wholeNumber(1, 100_000).prefault('100'),
  ORGANIZATION_LIMIT: wholeNumber(0, 100_000).prefault('100'),
  ORGANIZATION_CREATION: flag.prefault('on'),
  ORGANIZATION_DELETION: flag.prefault('on'),
  INVITATION_EXPIRES_IN: duration(60, 365 * day).prefault('48h'),
  INVITATION_URL: invitationUrl.optional(),
  INVITATION_LIMIT: wholeNumber(1, 100_000).prefault('100'),
  INVITATION_HISTORY: duration(0, 3650 * day).prefault('30d'),
  INVITATION_REQUIRES_VERIFIED_EMAIL: flag.prefault('on'),
  AUDIT_RETENTION: duration(0, 3650 * day).prefault('400d'),
  CREATOR_ROLE: name.default('owner'),
  DEVICE_CLIENTS: list.prefault(''),
  ADMIN_USER_IDS: list.prefault(''),
  ADMIN_EMAILS: list.pipe(z.array(address)).prefault(''),
  DEFAULT_ROLE: name.default('user'),
  DEFAULT_BAN_REASON: sentence.default('No reason'),
  DEFAULT_BAN_EXPIRES_IN: duration(1, 3650 * day).optional(),
  BANNED_USER_MESSAGE: sentence.optional(),
  IMPERSONATION_SESSION_DURATION: duration(60, day).prefault('1h'),
  KEY_LIMIT: wholeNumber(0, 10_000).prefault('50'),
  WEBHOOK_LIMIT: wholeNumber(0, 1000).prefault('10'),
  KEY_EXPIRES_IN: duration(60, 3650 * day).prefault('30d'),
  KEY_MAX_AGE: duration(60, 3650 * day).prefault('365d'),
  KEY_ISSUERS: list
    .pipe(z.array(issuer))
    .prefault('https://token.actions.githubusercontent.com,https://gitlab.com,https://agent.buildkite.com'),
  LOG_LEVEL: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  LOG_FORMAT: z.enum(['pretty', 'json']).optional(),
  LOG_TIME: z.enum(['epoch', 'iso']).default('epoch'),
  LOG_LEVEL_NAMES: flag.prefault('off'),
  METRICS: flag.prefault('off'),
  METRICS_HOST: host.default('127.0.0.1'),
  METRICS_PORT: wholeNumber(0, 65_535).prefault('9464'),
})
