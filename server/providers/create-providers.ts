import type { IpRange } from '../limits/ip-range.ts'
import { authorizationUrl, type Beginning } from './authorization-url.ts'
import type { Grant } from './flow.ts'
import { createKeySets, type IdTokenCheck } from './id-token.ts'
import type { Identity } from './identity.ts'
import { lookWith } from './open-id.ts'
import { type CallTimes, callTimes, createOutbound } from './outbound.ts'
import { type ConfiguredProvider, type Endpoints, type Kept, ProviderError } from './provider.ts'
import type { Means } from './step.ts'
import type { Tokens } from './token-reply.ts'
import type { Redemption } from './token-request.ts'
import { createJwksOf, proveWorkload, type Workload } from './workload.ts'

/**
 * The providers that the settings turned on, and what can be done with them. Whatever fails there is a ProviderError. `caller`:
 * the network or the user for whom a provider is asked, so that no one alone makes it be left alone.
 */
export interface Providers {
  find(id: string): ConfiguredProvider | null
  begin(configured: ConfiguredProvider, beginning: Beginning): Promise<string>
  redeem(configured: ConfiguredProvider, redemption: Redemption, caller: string): Promise<Grant>
  refresh(configured: ConfiguredProvider, refreshToken: string, kept: Kept, caller: string): Promise<Tokens>
  identify(configured: ConfiguredProvider, check: IdTokenCheck, caller: string): Promise<Identity>
  /** What an id token of one of these CI providers says; its refusals are WorkloadErrors. */
  proveWorkload(issuers: readonly string[], token: string): Promise<Workload>
}

/** The libraries are loaded with the first of these calls, never at the start. */
const flow = () => import('./flow.ts')

export interface ProvidersOptions {
  readonly times?: CallTimes
  /** Private networks whose hosts may be asked. */
  readonly networks?: readonly IpRange[]
  /** The issuers of CI providers, as the settings write them. */
  readonly issuers?: readonly string[]
}

/** What is looked up once for all callers. */
const everybody = 'everybody'

export function createProviders(
  configured: readonly ConfiguredProvider[],
  now: () => number,
  { times: { answer, flow: time } = callTimes, networks = [], issuers = [] }: ProvidersOptions = {},
): Providers {
  const known = new Map(configured.map((one) => [one.provider.id, one]))
  const overrides = configured.flatMap(({ registration }) => Object.values(registration.overrides))
  const written = [...overrides.filter((address) => address !== undefined), ...issuers]
  const callOutFor = createOutbound({ now, answerTime: answer, written, networks })
  const callOut = callOutFor(everybody)
  const keys = createKeySets(callOut)
  const jwksOf = createJwksOf(callOut, now)
  const means = { keys, endpointsOf: createEndpoints(callOut, now), time }
  const meansFor = (caller: string): Means => ({ ...means, callOut: callOutFor(caller) })
  return {
    find: (id) => known.get(id) ?? null,
    begin: async (one, beginning) => authorizationUrl(one, await means.endpointsOf(one), beginning),
    redeem: async (one, redemption, caller) => (await flow()).redeem(meansFor(caller), one, redemption),
    refresh: async (one, token, kept, caller) => (await flow()).refresh(meansFor(caller), one, token, kept),
    identify: async (one, check, caller) => (await flow()).identifyByToken(meansFor(caller), one, check),
    proveWorkload: (...given) => proveWorkload({ keys, jwksOf }, ...given),
  }
}

/** Milliseconds for which endpoints that had to be found out are kept. */
const keepTime = 3_600_000

/** Those of the record, each replaced by the setting for it; what had to be asked for is kept for an hour. */
function createEndpoints(callOut: Means['callOut'], now: () => number): Means['endpointsOf'] {
  const kept = new Map<ConfiguredProvider, { readonly found: Promise<Endpoints>; readonly until: number }>()
  const look = lookWith(callOut)
  return async (one) => {
    const { provider, registration } = one
    const { endpoints } = provider
    if (typeof endpoints !== 'function') return { ...endpoints, ...registration.overrides }
    const known = kept.get(one)
    if (known && now() < known.until) return known.found
    const found = Promise.resolve()
      .then(() => endpoints(registration, look))
      .then((own) => ({ ...own, ...registration.overrides }))
    kept.set(one, { found, until: now() + keepTime })
    return found.catch((error: unknown) => {
      kept.delete(one)
      throw new ProviderError('discovery', error)
    })
  }
}
