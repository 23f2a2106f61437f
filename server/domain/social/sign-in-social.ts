import type { Input, Output } from '../../../shared/contract/call.ts'
import type { signInSocial as Call } from '../../../shared/contract/social.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Deps } from '../../deps.ts'
import type { ConfiguredProvider } from '../../providers/provider.ts'
import type { Client, IssuedSession } from '../../request/client.ts'
import { addressLimits } from '../limits.ts'
import { begin, getProvider } from './begin.ts'
import { sealTokens } from './seal-tokens.ts'
import { signInWithIdentity } from './sign-in-with-identity.ts'
import { verifyIdToken } from './verify-identity.ts'

type Ask = Input<typeof Call>

/** `state`: to be bound to the browser; `issued`: an id token signed in at once. */
interface SignedIn {
  readonly answer: Output<typeof Call>
  readonly state: string | null
  readonly issued: IssuedSession | null
}

/** Begins at a provider; or signs in at once with an id token that the provider's own software gave to the application. */
export async function signInSocial(deps: Deps, client: Client, input: Ask): Promise<SignedIn> {
  const configured = getProvider(deps, input.provider)
  if (input.idToken) return signInWithToken(deps, client, configured, { ...input, idToken: input.idToken })
  const { url, state } = await begin(deps, configured, {
    ...input,
    purpose: { kind: 'sign-in', requestSignUp: input.requestSignUp ?? false },
    limits: addressLimits(deps, 'sign-in-social', client),
  })
  return { answer: { url, redirect: !input.disableRedirect }, state, issued: null }
}

const refusals = {
  isInvalid: 'ID_TOKEN_INVALID',
  hasNoEmail: 'USER_EMAIL_NOT_FOUND',
  isNobody: 'USER_INFO_NOT_READ',
} as const

/** Who it is comes from the verified token alone; what stands beside it in the body is only kept. */
async function signInWithToken(
  deps: Deps,
  client: Client,
  configured: ConfiguredProvider,
  { idToken, requestSignUp = false }: Ask & { readonly idToken: NonNullable<Ask['idToken']> },
): Promise<SignedIn> {
  if (!configured.provider.idToken?.isForSignIn) throw new Failure('ID_TOKEN_NOT_SUPPORTED')
  const limits = addressLimits(deps, 'sign-in-social', client)
  const { token, nonce, accessToken, refreshToken } = idToken
  const tokensOf = (id: string) => sealTokens(deps, id, { accessToken, refreshToken, idToken: token })
  const given = { token, nonce: nonce || null, limits, tokensOf, refusals }
  const identity = await verifyIdToken(deps, client, configured, given)
  const { user, issued } = await signInWithIdentity(deps, client, { identity, requestSignUp, claim: null })
  return { answer: { redirect: false, token: issued.token, user }, state: null, issued }
}
