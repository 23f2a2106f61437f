import type { KeySets } from './id-token.ts'
import type { CallOut } from './outbound.ts'
import { type ConfiguredProvider, type Endpoints, type Provider, ProviderError, type Registration } from './provider.ts'

/** What runs a flow: the way out, the keys, the endpoints of a provider. */
export interface Means {
  readonly callOut: CallOut
  readonly keys: KeySets
  readonly endpointsOf: (configured: ConfiguredProvider) => Promise<Endpoints>
  /** Milliseconds for all that one sign-in asks for. */
  readonly time: number
}

/** For what several sign-ins wait for: who runs out of time leaves, and the look-up goes on for the others. */
export const inTime = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const leave = () => reject(new ProviderError('discovery', signal.reason))
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })

export interface Step {
  readonly means: Means
  readonly configured: ConfiguredProvider
  readonly endpoints: Endpoints
  readonly signal: AbortSignal
}

export const headersOf = (provider: Provider, registration: Registration): Record<string, string> => ({
  'user-agent': 'postern',
  ...provider.headers?.(registration),
})
