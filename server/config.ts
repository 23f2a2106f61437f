import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import * as z from 'zod'
import { readConfigFile } from './config-file.ts'
import { defaultDataDir } from './embedded/data-dir.ts'
import { duration, flag, list, whole } from './settings.ts'
import { parseTrustedOrigin } from './trusted-origin.ts'
import { parseProxies } from './trusted-proxies.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const day = 86_400

/** What nobody may read out of messages, children or crash reports; an address of a database holds its password. */
const secretKeys: readonly string[] = ['SECRET', 'SECRETS', 'DATABASE_URL']

/** Words that stand in somebody's documentation and in no random value: anybody can sign with such a secret. */
const samples =
  /secret|passwo?r?d|change.?(me|this)|replace|example|sample|default|insecure|postern|your.|abcdefgh|qwerty/i

/** One piece again and again, like 1234567890 until it is long enough. */
const isRepeated = (text: string): boolean =>
  Array.from({ length: 16 }, (_, index) => index + 1).some((size) => text.slice(size) === text.slice(0, -size))

const secret = z
  .string()
  .min(32, { error: 'at least 32 random characters; make one with: openssl rand -base64 32', abort: true })
  .refine((text) => new Set(text).size >= 10 && !samples.test(text) && !isRepeated(text), {
    error: 'a random value, not a sample; make one with: openssl rand -base64 32',
  })

const isOrigin = (text: string): boolean => new URL(text).href === `${new URL(text).origin}/`

const origin = z
  .url({ protocol: /^https?$/, error: 'an absolute http or https address, like https://id.example.com', abort: true })
  .refine(isOrigin, 'an address without path, query or user, like https://id.example.com; the path is BASE_PATH')

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

/** One schema for the environment and the config file: key, what is allowed, default. */
const Settings = z.object({
  NODE_ENV: z.string().default('development'),
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: whole(0, 65_535).prefault('4100'),
  BASE_URL: origin.optional(),
  BASE_PATH: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)+$/, 'a path like /api/auth, without a slash at the end')
    .default('/api/auth'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'a postgres:// address' }).optional(),
  DATA_DIR: z.string().min(1).optional(),
  DATABASE_POOL: whole(1, 1000).prefault('10'),
  DATABASE_PREPARE: flag.prefault('on'),
  MIGRATE: flag.prefault('on'),
  SECRET: secret.optional(),
  SECRETS: list.pipe(z.array(secret).min(1, 'at least one secret')).optional(),
  TRUSTED_ORIGINS: checked(parseTrustedOrigin).prefault(''),
  TRUSTED_PROXIES: checked(parseProxies).prefault(''),
  STRICT_ORIGIN: flag.prefault('off'),
  RATE_LIMIT: flag.prefault('on'),
  EMAIL_PASSWORD: flag.prefault('on'),
  SIGN_UP: flag.prefault('on'),
  AUTO_SIGN_IN: flag.prefault('on'),
  MIN_PASSWORD_LENGTH: whole(1, 1024).prefault('8'),
  MAX_PASSWORD_LENGTH: whole(1, 1024).prefault('128'),
  ARGON2_MEMORY: whole(19_456, 131_072).prefault('19456'),
  ARGON2_PASSES: whole(2, 10).prefault('2'),
  ARGON2_LANES: whole(1, 4).prefault('1'),
  SESSION_EXPIRES_IN: duration(60, 400 * day).prefault('7d'),
  SESSION_UPDATE_AGE: duration(0, 400 * day).prefault('1d'),
  SESSION_REFRESH: flag.prefault('on'),
  SESSION_MAX_AGE: duration(60, 3650 * day).prefault('90d'),
  SESSION_LIMIT: whole(1, 10_000).prefault('100'),
  COOKIE_CACHE: flag.prefault('off'),
  COOKIE_CACHE_MAX_AGE: duration(1, 300).prefault('60'),
  COOKIE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'letters, digits, _ and -')
    .default('postern'),
  COOKIE_HOST_PREFIX: flag.prefault('off'),
  LOG_LEVEL: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  LOG_FORMAT: z.enum(['pretty', 'json']).optional(),
})

/** The service's settings, checked; durations in seconds. */
export type Config = Readonly<ReturnType<typeof complete>>

/** Every wrong value at once: key, what was wrong, what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(problems: readonly string[]) {
    super(`The settings are not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
  }
}

/** Environment over `.env` over the config file of `folder`; throws ConfigError. */
export async function loadConfig(environment: Environment = process.env, folder = process.cwd()): Promise<Config> {
  const file = await readConfigFile(folder, Object.keys(Settings.shape)).catch((error: Error) => {
    throw new ConfigError([error.message])
  })
  const given = { ...file, ...readDotEnv(folder), ...withoutEmpty(environment) }
  return parseConfig(given)
}

/** Takes secrets out of the process's own environment. */
export function forgetSecrets(environment: NodeJS.ProcessEnv = process.env): void {
  for (const key of secretKeys) delete environment[key]
}

/** Checks settings that are at hand as text, by the names of the environment; throws ConfigError. */
export function parseConfig(given: Environment): Config {
  const parsed = Settings.safeParse(given)
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map((issue) => describe(issue, given)))
  const problems = conflicts(parsed.data)
  if (problems.length > 0) throw new ConfigError(problems)
  return complete(parsed.data, given)
}

type Parsed = z.output<typeof Settings>

function describe(issue: z.core.$ZodIssue, given: Environment): string {
  const key = String(issue.path[0])
  const shown = secretKeys.includes(key) ? '(hidden)' : JSON.stringify(given[key])
  return `${key} is ${shown}: expected ${issue.message.replace(/^Invalid option: expected /, '')}`
}

const complete = (settings: Parsed, given: Environment) => ({
  ...settings,
  DATA_DIR: settings.DATA_DIR ?? defaultDataDir(given),
  BASE_URL: baseUrlOf(settings),
  SECRETS: secretsOf(settings),
})

const baseUrlOf = ({ BASE_URL, PORT }: Parsed): URL => new URL(BASE_URL ?? `http://localhost:${PORT}`)

const secretsOf = ({ SECRET, SECRETS }: Parsed): readonly string[] => SECRETS ?? (SECRET ? [SECRET] : [])

function conflicts(settings: Parsed): string[] {
  const problems: string[] = []
  const { NODE_ENV, BASE_URL, MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH } = settings
  if (MIN_PASSWORD_LENGTH > MAX_PASSWORD_LENGTH)
    problems.push('MIN_PASSWORD_LENGTH is above MAX_PASSWORD_LENGTH: no password could ever be set')
  if (settings.COOKIE_HOST_PREFIX && baseUrlOf(settings).protocol !== 'https:')
    problems.push('COOKIE_HOST_PREFIX is on: expected an https BASE_URL, since __Host- cookies need it')
  if (NODE_ENV === 'production') problems.push(...missingInProduction(settings, BASE_URL))
  return problems
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

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))

const withoutEmpty = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''))

function readDotEnv(folder: string): Environment {
  try {
    return withoutEmpty(parseEnv(readFileSync(join(folder, '.env'), 'utf8')) as Environment)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new ConfigError([`.env cannot be read: ${(error as Error).message}`])
  }
}
