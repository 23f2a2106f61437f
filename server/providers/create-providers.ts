import { authorizationUrl, type Beginning } from './authorization-url.ts'
import type { Grant } from './flow.ts'
import { createKeySets, type IdTokenCheck } from './id-token.ts'
import type { Identity } from './identity.ts'
import { lookWith } from './open-id.ts'
import { type CallTimes, callTimes, createCallOut } from './outbound.ts'
import { type ConfiguredProvider, type Endpoints, type Kept, ProviderError } from './provider.ts'
import type { Means } from './step.ts'
import type { Tokens } from './token-reply.ts'
import type { Redemption } from './token-request.ts'
import { createJwksOf, proveWorkload, type Workload } from './workload.ts'

/** The providers that the settings turned on, and what can be done with them. Whatever fails there is a ProviderError. */
export interface Providers {
  find(id: string): ConfiguredProvider | null
  begin(configured: ConfiguredProvider, beginning: Beginning): Promise<string>
  redeem(configured: ConfiguredProvider, redemption: Redemption): Promise<Grant>
  refresh(configured: ConfiguredProvider, refreshToken: string, kept: Kept): Promise<Tokens>
  identify(configured: ConfiguredProvider, check: IdTokenCheck): Promise<Identity>
  /** What an id token of one of these CI providers says; its refusals are WorkloadErrors. */
  proveWorkload(issuers: readonly string[], token: string): Promise<Workload>
}

/** The libraries are loaded with the first of these calls, never at the start. */
const flow = () => import('./flow.ts')

export function createProviders(
  configured: readonly ConfiguredProvider[],
  now: () => number,
  { answer, flow: time }: CallTimes = callTimes,
): Providers {
  const known = new Map(configured.map((one) => [one.provider.id, one]))
  const callOut = createCallOut(now, answer)
  const keys = createKeySets(callOut)
  const jwksOf = createJwksOf(callOut, now)
  const means: Means = { callOut, keys, endpointsOf: createEndpoints(callOut, now), time }
  return {
    find: (id) => known.get(id) ?? null,
    begin: async (one, beginning) => authorizationUrl(one, await means.endpointsOf(one), beginning),
    redeem: async (...given) => (await flow()).redeem(means, ...given),
    refresh: async (...given) => (await flow()).refresh(means, ...given),
    identify: async (...given) => (await flow()).identifyByToken(means, ...given),
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
