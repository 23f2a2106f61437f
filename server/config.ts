import type * as z from 'zod'
import { isLoopback } from '../shared/loopback.ts'
import { isPermitted, organizationRoles, platformRoles, type Roles } from '../shared/permissions.ts'
import { defaultDataDir } from './embedded/data-dir.ts'
import type { ConfiguredProvider } from './providers/provider.ts'
import { extensionProblems } from './settings/config-file.ts'
import { cookieProblems } from './settings/cookie-problems.ts'
import type { Extensions } from './settings/extensions.ts'
import { shownValue } from './settings/fetched-address.ts'
import {
  ConfigError,
  type Environment,
  type KeptSettings,
  keptOf,
  readGivenSettings,
  reuseSettings,
} from './settings/given-settings.ts'
import { invitationUrlProblems } from './settings/invitation-url.ts'
import { isSecret } from './settings/names.ts'
import { type OwnFieldSettings, readOwnFields } from './settings/own-fields.ts'
import { readProviders, unknownProviders } from './settings/providers.ts'
import { type RateLimits, readRateLimits } from './settings/rate-limits.ts'
import { SettingsSchema, secretKeys } from './settings/schema.ts'
import { crossSiteOrigins } from './settings/sites.ts'

export { ConfigError, type Environment, type KeptSettings, keptOf, readGivenSettings, reuseSettings }

/** The checked and completed settings, by the names of the environment variables. Durations in seconds. */
export type Config = Readonly<ReturnType<typeof complete>> & {
  readonly extensions: Extensions
  /** The organization roles: those of the config file, or owner, admin and member. */
  readonly roles: Roles
  /** The platform roles: those of the config file, or admin and user. */
  readonly platformRoles: Roles
  /** The limits of the config file, completed by the defaults. */
  readonly RATE_LIMITS: RateLimits
  /** The application's own fields of users and organizations. */
  readonly ownFields: OwnFieldSettings
  /** The identity providers that people can sign in with. */
  readonly providers: readonly ConfiguredProvider[]
}

/**
 * Reads the settings: the environment first, then `.env`, then the config file of `folder`, by default the working
 * directory. `NAME_FILE` gives `NAME` as the content of a file.
 *
 * @throws ConfigError for a wrong value, an unknown name in the config file, or a file that cannot be loaded.
 * @example
 * const config = await loadConfig(process.env, '/srv/accounts')
 */
export async function loadConfig(environment: Environment = process.env, folder = process.cwd()): Promise<Config> {
  const { texts, extensions } = await readGivenSettings(environment, folder)
  return parseConfig(texts, extensions)
}

/** A copy of the settings given, by default of the process's environment, for workers that read them later. */
export const copyEnvironment = (environment: Environment = process.env): Environment => ({ ...environment })

/** Removes secrets from the process's own environment. */
export function forgetSecrets(environment: NodeJS.ProcessEnv = process.env): void {
  for (const key of Object.keys(environment)) if (isSecret(key)) delete environment[key]
}

/**
 * Checks settings given as texts by the names of the environment variables. Reads no file. `extensions`: the rest of
 * what a config file may contain, such as functions and roles.
 *
 * @throws ConfigError for a wrong or missing value.
 * @example
 * const config = parseConfig({ SECRET, BASE_URL: 'https://id.example.com', SESSION_EXPIRES_IN: '7d' })
 */
export function parseConfig(given: Environment, extensions: Extensions = {}): Config {
  const parsed = SettingsSchema.safeParse(given)
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map((issue) => describe(issue, given)))
  const strange = extensionProblems(extensions)
  if (strange.length > 0) throw new ConfigError(strange)
  const read = readRateLimits(extensions.RATE_LIMITS)
  const own = readOwnFields(extensions)
  const social = readProviders(given)
  const problems = [
    ...conflicts(parsed.data, extensions),
    ...('problems' in own ? own.problems : []),
    ...social.problems,
    ...unknownProviders(parsed.data.TRUSTED_PROVIDERS, social.providers),
  ]
  if ('problems' in read) throw new ConfigError([...problems, ...read.problems])
  if ('problems' in own || problems.length > 0) throw new ConfigError(problems)
  return {
    ...complete(parsed.data, given),
    extensions,
    roles: extensions.roles ?? organizationRoles,
    platformRoles: extensions.platformRoles ?? platformRoles,
    RATE_LIMITS: read.limits,
    ownFields: own.ownFields,
    providers: social.providers,
  }
}

type Parsed = z.output<typeof SettingsSchema>

function describe(issue: z.core.$ZodIssue, given: Environment): string {
  const key = String(issue.path[0])
  const shown = shownValue(given[key], secretKeys.includes(key))
  return `${key} is ${shown}: expected ${issue.message.replace(/^Invalid option: expected /, '')}`
}

const complete = (settings: Parsed, given: Environment) => ({
  ...settings,
  DATA_DIR: settings.DATA_DIR ?? defaultDataDir(given),
  BASE_URL: baseUrlOf(settings),
  SECRETS: secretsOf(settings),
  /** The trusted origins whose pages the session cookie does not reach, because they are of another site. */
  originsWithoutCookie:
    settings.COOKIE_SAME_SITE === 'none' ? [] : crossSiteOrigins(given['TRUSTED_ORIGINS'] ?? '', baseUrlOf(settings)),
  IMPORTED_COOKIE: settings.IMPORTED_COOKIE ?? importedCookieOf(baseUrlOf(settings)),
  JWT_ISSUER: settings.JWT_ISSUER ?? baseUrlOf(settings).origin,
  JWT_AUDIENCE: settings.JWT_AUDIENCE ?? [baseUrlOf(settings).origin],
  SEND_VERIFICATION_ON_SIGN_UP: settings.SEND_VERIFICATION_ON_SIGN_UP ?? settings.REQUIRE_EMAIL_VERIFICATION,
})

const baseUrlOf = ({ BASE_URL, PORT }: Parsed): URL => new URL(BASE_URL ?? `http://localhost:${PORT}`)

/** As better-auth names it unless told otherwise. */
const importedCookieOf = ({ protocol }: URL): string =>
  `${protocol === 'https:' ? '__Secure-' : ''}better-auth.session_token`

const secretsOf = ({ SECRET, SECRETS }: Parsed): readonly string[] => SECRETS ?? (SECRET ? [SECRET] : [])

/** Settings that contradict each other, one sentence each. */
function conflicts(settings: Parsed, extensions: Extensions): string[] {
  const { sendMail, roles = organizationRoles } = extensions
  const { NODE_ENV, BASE_URL, CREATOR_ROLE, MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH } = settings
  const rules: readonly (readonly [isBroken: boolean, problem: string])[] = [
    [
      MIN_PASSWORD_LENGTH > MAX_PASSWORD_LENGTH,
      'MIN_PASSWORD_LENGTH is above MAX_PASSWORD_LENGTH: no password could ever be set',
    ],
    [
      settings.REQUIRE_EMAIL_VERIFICATION && !settings.VERIFICATION_EMAIL,
      'REQUIRE_EMAIL_VERIFICATION is on and VERIFICATION_EMAIL is off: nobody could ever sign in',
    ],
    [
      settings.SMTP_URL !== undefined && !settings.MAIL_FROM && !sendMail,
      'MAIL_FROM is missing: SMTP_URL needs the address that mails come from',
    ],
    [
      settings.DATABASE_REPLICA_URL !== undefined && settings.DATABASE_URL === undefined,
      'DATABASE_URL is missing: DATABASE_REPLICA_URL needs the address of the primary',
    ],
    [
      settings.METRICS && settings.PORT !== 0 && settings.PORT === settings.METRICS_PORT,
      'METRICS_PORT is the same as PORT: expected a different port',
    ],
    [
      !Object.hasOwn(roles, CREATOR_ROLE),
      `CREATOR_ROLE is "${CREATOR_ROLE}": expected one of ${Object.keys(roles).join(', ')}`,
    ],
  ]
  const problems = [
    ...rules.flatMap(([isBroken, problem]) => (isBroken ? [problem] : [])),
    ...wrongDefaultRole(settings, extensions),
    ...cookieProblems(settings, baseUrlOf(settings)),
    ...invitationUrlProblems(settings),
  ]
  return NODE_ENV === 'production' ? [...problems, ...missingInProduction(settings, BASE_URL)] : problems
}

/** Everybody who signs up gets this role. */
function wrongDefaultRole({ DEFAULT_ROLE }: Parsed, { platformRoles: roles = platformRoles }: Extensions): string[] {
  const told = `DEFAULT_ROLE is "${DEFAULT_ROLE}"`
  if (!Object.hasOwn(roles, DEFAULT_ROLE)) return [`${told}: expected one of ${Object.keys(roles).join(', ')}`]
  const isAdmin = isPermitted(roles, [DEFAULT_ROLE], { user: ['set-role'] })
  return isAdmin
    ? [`${told}: expected a role without permission to set roles, because everybody who signs up gets it`]
    : []
}

function missingInProduction(settings: Parsed, baseUrl: string | undefined): string[] {
  const problems: string[] = []
  if (secretsOf(settings).length === 0)
    problems.push('SECRET is missing: production needs at least 32 random characters')
  if (!baseUrl)
    return [...problems, 'BASE_URL is missing: production needs its public address, like https://id.example.com']
  const { protocol, hostname } = new URL(baseUrl)
  if (protocol !== 'https:' && !isLoopback(hostname)) problems.push(`BASE_URL is "${baseUrl}": production needs https`)
  return problems
}
