import { askWith } from './ask.ts'
import { type IdTokenCheck, verifyIdToken } from './id-token.ts'
import { type Identity, identityOf } from './identity.ts'
import {
  type ConfiguredProvider,
  type Endpoints,
  givesIdToken,
  type Json,
  type ProfileSource,
  ProviderError,
} from './provider.ts'
import { headersOf, type Means, type Step } from './step.ts'

/** Null where the provider has no id tokens; where it has, there has to be one. */
export async function claimsOf(
  means: Means,
  configured: ConfiguredProvider,
  endpoints: Endpoints,
  { token, nonce }: { readonly token: string | null; readonly nonce: string },
): Promise<Json | null> {
  const { provider } = configured
  if (!givesIdToken(provider) || (token === null && provider.profile)) return null
  if (token === null) throw new ProviderError('id-token', 'The reply holds no id token')
  return claimsBy(means, configured, endpoints, { token, nonce })
}

export async function claimsBy(
  means: Means,
  configured: ConfiguredProvider,
  endpoints: Endpoints,
  check: IdTokenCheck,
): Promise<Json> {
  const { idToken: rules } = configured.provider
  try {
    if (!rules) throw new Error('The provider has no id tokens')
    return await verifyIdToken(configured, rules, endpoints, { ...check, keys: means.keys })
  } catch (error) {
    throw error instanceof ProviderError ? error : new ProviderError('id-token', error)
  }
}

type Known = Pick<ProfileSource, 'accessToken' | 'reply' | 'claims' | 'callback'>

export async function profileOf(
  { means, configured, endpoints, signal }: Step,
  known: Known,
  find = configured.provider.profile,
): Promise<Identity> {
  const { provider, registration } = configured
  const headers = headersOf(provider, registration)
  const ask = askWith(means.callOut, { accessToken: known.accessToken, headers, signal })
  const { claims, callback } = known
  try {
    const profile = find
      ? await find({ registration, endpoints, ask, ...known })
      : claims && (provider.idToken?.profile(claims, callback) ?? null)
    if (!profile) throw new Error('Nobody whom we let in')
    return identityOf(profile)
  } catch (error) {
    throw error instanceof ProviderError ? error : new ProviderError('profile', error)
  }
}
