import type { KeySets } from './id-token.ts'
import type { OutboundCall } from './outbound.ts'
import { type ConfiguredProvider, type Endpoints, type Provider, ProviderError, type Registration } from './provider.ts'

/** What every step of a flow needs: outbound requests, keys, a provider's endpoints. */
export interface ProviderContext {
  readonly callOut: OutboundCall
  readonly keys: KeySets
  readonly endpointsOf: (configured: ConfiguredProvider) => Promise<Endpoints>
  /** Milliseconds for all requests of one sign-in. */
  readonly time: number
}

/**
 * Awaits work that several sign-ins share. A sign-in that runs out of time stops waiting, and the work continues for
 * the others.
 */
export const untilAborted = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const leave = () => reject(new ProviderError('discovery', signal.reason))
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })

export interface Step {
  readonly means: ProviderContext
  readonly configured: ConfiguredProvider
  readonly endpoints: Endpoints
  readonly signal: AbortSignal
}

export const headersOf = (provider: Provider, registration: Registration): Record<string, string> => ({
  'user-agent': 'postern',
  ...provider.headers?.(registration),
})
