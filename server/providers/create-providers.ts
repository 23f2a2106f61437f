import { hash } from 'node:crypto'
import type { Logger } from 'pino'
import type { IpRange } from '../limits/ip-address.ts'
import type { Grant, StoredAccess, ToldProfile } from './flow.ts'
import { createKeySets, type IdTokenCheck } from './id-token.ts'
import type { Identity } from './identity.ts'
import { type KeepOptions, keepLookUp } from './keep-look-up.ts'
import { createFetchJson } from './open-id.ts'
import { type CallTimes, callTimes, createOutbound } from './outbound.ts'
import {
  type AuthorizationHints,
  type ConfiguredProvider,
  type Endpoints,
  givesIdToken,
  type KeptFields,
  type Provider,
  type ProviderError,
} from './provider.ts'
import type { ProviderContext } from './step.ts'
import type { Tokens } from './token-reply.ts'
import type { CodeRedemption } from './token-request.ts'
import { createJwksOf, verifyWorkloadToken, type Workload } from './workload.ts'

/**
 * The configured providers and what can be done with them. Every failure there is a ProviderError. `caller`: the
 * network or user on whose behalf a provider is asked, so that a single caller cannot open the circuit breaker.
 */
export interface Providers {
  /** In the order of the settings. */
  all(): readonly ConfiguredProvider[]
  find(id: string): ConfiguredProvider | null
  /** Looks up the provider's addresses and requests one of them. Throws when it cannot be reached. */
  reach(configured: ConfiguredProvider): Promise<void>
  begin(configured: ConfiguredProvider, beginning: AuthorizationParameters): Promise<string>
  redeem(configured: ConfiguredProvider, redemption: CodeRedemption, caller: string): Promise<Grant>
  refresh(configured: ConfiguredProvider, refreshToken: string, kept: KeptFields, caller: string): Promise<Tokens>
  identify(configured: ConfiguredProvider, check: IdTokenCheck, caller: string): Promise<Identity>
  /** What the provider says about the user of stored tokens. */
  profile(configured: ConfiguredProvider, access: StoredAccess, caller: string): Promise<ToldProfile>
  /** The claims of an id token from one of these CI providers. Throws WorkloadError when it is refused. */
  proveWorkload(issuers: readonly string[], token: string): Promise<Workload>
}

/** The libraries are loaded by the first of these calls, never at the start. */
const flow = () => import('./flow.ts')

export interface ProvidersOptions {
  readonly times?: CallTimes
  /** Private networks whose hosts may be requested. */
  readonly networks?: readonly IpRange[]
  /** The issuers of CI providers, as written in the settings. */
  readonly issuers?: readonly string[]
  readonly log?: Pick<Logger, 'warn'>
}

export function createProviders(
  configured: readonly ConfiguredProvider[],
  now: () => number,
  { times: { answer, flow: time } = callTimes, networks = [], issuers = [], log }: ProvidersOptions = {},
): Providers {
  const known = new Map(configured.map((one) => [one.provider.id, one]))
  const overrides = configured.flatMap(({ registration }) => Object.values(registration.overrides))
  const written = [...overrides.filter((address) => address !== undefined), ...issuers]
  const callOutFor = createOutbound({ now, answerTime: answer, written, networks })
  const callOut = callOutFor(null)
  // A token names the key that is looked for, so anybody can cause this request.
  const keys = createKeySets(callOutFor('keys'))
  const keeping = (whose: string): KeepOptions => ({ now, onStale: (err) => tellStale(log, whose, err) })
  const jwksOf = createJwksOf(callOut, keeping)
  const means = { keys, endpointsOf: createEndpoints(callOut, keeping), time }
  const meansFor = (caller: string): ProviderContext => ({ ...means, callOut: callOutFor(caller) })
  return {
    all: () => configured,
    find: (id) => known.get(id) ?? null,
    reach: async (one) => reach(await means.endpointsOf(one), callOut),
    begin: async (one, beginning) => authorizationUrl(one, await means.endpointsOf(one), beginning),
    redeem: async (one, redemption, caller) => (await flow()).redeem(meansFor(caller), one, redemption),
    refresh: async (one, token, kept, caller) => (await flow()).refresh(meansFor(caller), one, token, kept),
    profile: async (one, access, caller) => (await flow()).readProfile(meansFor(caller), one, access),
    identify: async (one, check, caller) => (await flow()).identifyByToken(meansFor(caller), one, check),
    proveWorkload: (...given) => verifyWorkloadToken({ keys, jwksOf }, ...given),
  }
}

const tellStale = (log: ProvidersOptions['log'], provider: string, err: ProviderError) =>
  log?.warn({ err, provider }, 'a provider cannot be looked up again, so what it said last is used')

/** Any answer will do but that of a broken server: the token endpoint refuses a request that redeems nothing. */
async function reach({ jwks, token }: Endpoints, callOut: ProviderContext['callOut']): Promise<void> {
  const { status } = await callOut(jwks ?? token)
  if (status >= 500) throw new Error(`${new URL(jwks ?? token).origin} answered with ${status}`)
}

/** The provider's own endpoints, each replaced by its setting if there is one. */
function createEndpoints(
  callOut: ProviderContext['callOut'],
  keeping: (provider: string) => KeepOptions,
): ProviderContext['endpointsOf'] {
  const kept = new Map<ConfiguredProvider, () => Promise<Endpoints>>()
  const look = createFetchJson(callOut)
  const endpointsOf = async ({ provider: { endpoints }, registration }: ConfiguredProvider) => ({
    ...(typeof endpoints === 'function' ? await endpoints(registration, look) : endpoints),
    ...registration.overrides,
  })
  return (one) => {
    const find = kept.get(one) ?? keepLookUp(() => endpointsOf(one), keeping(one.provider.id))
    kept.set(one, find)
    return find()
  }
}

/** The parameters of one authorization request. */
interface AuthorizationParameters extends AuthorizationHints {
  readonly state: string
  readonly redirectUri: string
  readonly verifier: string
  readonly nonce: string
  /** Requested besides the provider's own scopes. */
  readonly scopes: readonly string[]
}

/**
 * The authorization URL. The provider's extra parameters come first, so that they cannot replace those that secure the
 * flow.
 */
function authorizationUrl(
  configured: ConfiguredProvider,
  endpoints: Endpoints,
  beginning: AuthorizationParameters,
): string {
  const { provider, registration } = configured
  const url = new URL(endpoints.authorization)
  const parameters = {
    ...provider.parameters?.(registration, beginning),
    response_type: 'code',
    [provider.clientIdParameter ?? 'client_id']: registration.clientId,
    redirect_uri: beginning.redirectUri,
    state: beginning.state,
    scope: scopeOf(configured, beginning.scopes),
    ...proofsOf(provider, beginning),
  }
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
  // A form encodes a space as `+`, which some providers read as a plus.
  url.search = url.search.replaceAll('+', '%20')
  return url.href
}

function scopeOf({ provider, registration }: ConfiguredProvider, wanted: readonly string[]): string | undefined {
  const own = registration.scopes ?? provider.scopes
  return own.length === 0 ? undefined : [...new Set([...own, ...wanted])].join(provider.scopeSeparator ?? ' ')
}

/** Parameters that the provider has to return, or that only we can answer. */
const proofsOf = (provider: Provider, { verifier, nonce }: AuthorizationParameters) => ({
  ...(givesIdToken(provider) && provider.idToken?.nonce !== 'none' ? { nonce } : {}),
  ...(provider.pkce === undefined ? { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' } : {}),
})

const challengeOf = (verifier: string): string => hash('sha256', verifier, 'base64url')
