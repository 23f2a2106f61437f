import * as z from 'zod'
import { type ProviderId, providerDisplayName, providerIds } from '../../shared/providers.ts'
import { openIdProvider } from '../providers/open-id.ts'
import { type ConfiguredProvider, type Endpoints, type Provider, type Registration } from '../providers/provider.ts'
import { providers } from '../providers/providers.ts'
import { fetchedAddress, shownValue } from './fetched-address.ts'
import { flag } from './fields.ts'

type SettingTexts = Readonly<Record<string, string | undefined>>

/** One setting of a provider, by the last part of its name: what is allowed, and whether it is a secret. */
interface Field {
  readonly schema: z.ZodType
  readonly isSecret?: boolean
}

const text = (expected: string, pattern: RegExp) => z.string().regex(pattern, { error: expected, abort: true })

const address = fetchedAddress({ address: 'an absolute https address', secure: 'an https address' })

const endpointKeys: Readonly<Record<string, keyof Endpoints>> = {
  ISSUER: 'issuer',
  AUTHORIZATION_URL: 'authorization',
  TOKEN_URL: 'token',
  USERINFO_URL: 'userinfo',
  JWKS_URL: 'jwks',
}

const scopes = text(
  'scopes, separated by blanks or commas',
  /^[\x21\x23-\x5b\x5d-\x7e]+([\s,]+[\x21\x23-\x5b\x5d-\x7e]+)*$/,
)

const common: Readonly<Record<string, Field>> = {
  CLIENT_ID: { schema: text('the client id that the provider gave you', /^[\x21-\x7e]{1,512}$/) },
  CLIENT_SECRET: {
    schema: text('the client secret that the provider gave you', /^[\x21-\x7e]{1,4096}$/),
    isSecret: true,
  },
  ...Object.fromEntries(Object.keys(endpointKeys).map((key) => [key, { schema: address }])),
  SCOPES: { schema: scopes },
  DISABLE_SIGN_UP: { schema: flag },
  DISABLE_IMPLICIT_SIGN_UP: { schema: flag },
  OVERRIDE_USER_INFO: { schema: flag },
}

/** Without `openid` the provider sends no id token, and nobody could sign in. */
const scopesOf = ({ scopes: usual }: Provider) =>
  usual.includes('openid')
    ? scopes.refine((given) => listOf(given).includes('openid'), 'openid among the scopes')
    : scopes

const fieldsOf = (provider: Provider): Readonly<Record<string, Field>> => ({
  ...common,
  SCOPES: { schema: scopesOf(provider) },
  ...Object.fromEntries(
    Object.entries(provider.options ?? {}).map(
      ([key, { expected, pattern, isUsable = () => true, isSecret = false }]) => [
        key,
        { schema: text(expected, pattern).refine(isUsable, { error: expected }), isSecret },
      ],
    ),
  ),
})

const prefixOf = ({ id }: Provider): string => id.toUpperCase()

/** All settings of the built-in providers, which a config file may contain. */
const providerKeys: readonly string[] = providers.flatMap((provider) =>
  Object.keys(fieldsOf(provider)).map((key) => `${prefixOf(provider)}_${key}`),
)

const secrets = new Set(
  providers.flatMap((provider) =>
    Object.entries(fieldsOf(provider)).flatMap(([key, { isSecret }]) =>
      isSecret ? [`${prefixOf(provider)}_${key}`] : [],
    ),
  ),
)

const openIdKey = new RegExp(`^OIDC_([A-Z0-9]+(?:_[A-Z0-9]+)*?)_(${Object.keys(common).join('|')})$`)

/** The type of provider settings in a config file: any name with a provider's prefix. */
export type ProviderKey = `${Uppercase<ProviderId> | 'OIDC'}_${string}`

export const isProviderKey = (key: string): boolean => providerKeys.includes(key) || openIdKey.test(key)
export const isProviderSecret = (key: string): boolean =>
  secrets.has(key) || /^OIDC_[A-Z0-9_]+_CLIENT_SECRET$/.test(key)

/** Each NAME in OIDC_NAME_CLIENT_ID and the like. */
const openIdNames = (given: SettingTexts): string[] => [
  ...new Set(Object.keys(given).flatMap((key) => openIdKey.exec(key)?.[1] ?? [])),
]

export interface ReadProviders {
  readonly providers: readonly ConfiguredProvider[]
  /** One sentence per problem. */
  readonly problems: readonly string[]
}

/** The configured providers. An incomplete configuration is a problem, never a provider that is silently off. */
export function readProviders(given: SettingTexts, known: readonly Provider[] = providers): ReadProviders {
  const openId = openIdNames(given).map((name) => ({ provider: openIdProvider(name), prefix: `OIDC_${name}` }))
  const all = [...known.map((provider) => ({ provider, prefix: prefixOf(provider) })), ...openId]
  const read = all.map(({ provider, prefix }) => readProvider(provider, prefix, given))
  return {
    providers: read.flatMap(({ configured }) => (configured ? [configured] : [])),
    problems: [...read.flatMap(({ problems }) => problems), ...clashes(openId, known)],
  }
}

/** A mistyped name in TRUSTED_PROVIDERS must not be ignored. */
export function unknownProviders(trusted: readonly string[], configured: readonly ConfiguredProvider[]): string[] {
  const known = new Set<string>([...providerIds, ...configured.map(({ provider }) => provider.id)])
  if (trusted.every((id) => known.has(id))) return []
  const shown = JSON.stringify(trusted.join(','))
  return [`TRUSTED_PROVIDERS is ${shown}: expected ids like google, or the name of an OIDC_… provider`]
}

const clashes = (openId: readonly { provider: Provider; prefix: string }[], known: readonly Provider[]): string[] =>
  openId.flatMap(({ provider: { id }, prefix }) =>
    known.some((other) => other.id === id) || id === 'credential'
      ? [`${prefix}_… names the provider ${id}, which already exists: expected another name`]
      : [],
  )

interface Read {
  readonly configured: ConfiguredProvider | null
  readonly problems: readonly string[]
}

type Values = Readonly<Record<string, string | boolean>>

function readProvider(provider: Provider, prefix: string, given: SettingTexts): Read {
  const fields = Object.entries(fieldsOf(provider)).map(([key, field]) => ({
    ...field,
    key,
    text: given[`${prefix}_${key}`],
  }))
  const set = fields.filter(({ text: value }) => value !== undefined)
  if (set.length === 0) return { configured: null, problems: [] }
  const parsed = set.map(({ key, schema, text: value, isSecret = false }) => {
    const { data, error } = schema.safeParse(value)
    const shown = shownValue(value, isSecret)
    const problem = error ? `${prefix}_${key} is ${shown}: expected ${error.issues[0]?.message ?? ''}` : null
    return { key, data, problem }
  })
  const names = set.map(({ key }) => `${prefix}_${key}`)
  const problems = [...parsed.flatMap(({ problem }) => problem ?? []), ...missing(provider, prefix, names)]
  if (problems.length > 0) return { configured: null, problems }
  const values = Object.fromEntries(parsed.map(({ key, data }) => [key, data])) as Values
  return { configured: { provider, registration: registrationOf(provider, values) }, problems: [] }
}

/** The settings that are missing for the ones that are set. */
function missing(provider: Provider, prefix: string, names: readonly string[]): string[] {
  const { needsSecret = true, endpoints } = provider
  const isOpenId = prefix.startsWith('OIDC_') && typeof endpoints === 'function'
  const required = [
    'CLIENT_ID',
    ...secretKeysOf(needsSecret, (key) => names.includes(`${prefix}_${key}`)),
    ...(isOpenId ? ['ISSUER'] : []),
  ]
  return required
    .map((key) => `${prefix}_${key}`)
    .filter((key) => !names.includes(key))
    .map(
      (key) =>
        `${key} is missing: ${names[0]} is set, but sign-in with ${providerDisplayName(provider.id)} needs this too`,
    )
}

/** A secret made of several options has to be complete. */
function secretKeysOf(needsSecret: boolean | readonly string[], isSet: (key: string) => boolean): readonly string[] {
  if (typeof needsSecret !== 'boolean' && needsSecret.some(isSet)) return needsSecret
  return needsSecret === false ? [] : ['CLIENT_SECRET']
}

const listOf = (value: string): readonly string[] => value.split(/[\s,]+/).filter(Boolean)

function registrationOf({ options = {} }: Provider, values: Values): Registration {
  const picked = (keys: readonly string[]) => keys.filter((key) => typeof values[key] === 'string')
  const overrides = picked(Object.keys(endpointKeys)).map((key) => [endpointKeys[key], values[key]])
  return {
    clientId: String(values.CLIENT_ID),
    clientSecret: String(values.CLIENT_SECRET ?? ''),
    overrides: Object.fromEntries(overrides) as Partial<Endpoints>,
    scopes: typeof values.SCOPES === 'string' ? listOf(values.SCOPES) : null,
    disableSignUp: values.DISABLE_SIGN_UP === true,
    disableImplicitSignUp: values.DISABLE_IMPLICIT_SIGN_UP === true,
    overrideUserInfo: values.OVERRIDE_USER_INFO === true,
    options: Object.fromEntries(picked(Object.keys(options)).map((key) => [key, String(values[key])])),
  }
}
