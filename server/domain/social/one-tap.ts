import type { Input, Output } from '../../../shared/contract/call.ts'
import type { oneTap as Call } from '../../../shared/contract/social.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Deps } from '../../deps.ts'
import type { Client, IssuedSession } from '../../request/client.ts'
import { passwordCallLimits } from '../limits.ts'
import { getProvider } from './begin-social-flow.ts'
import { sealTokens } from './seal-tokens.ts'
import { signInWithIdentity } from './sign-in-with-identity.ts'
import { type VerifiedIdentity, verifyIdToken } from './verify-identity.ts'

/** This call's own failure names for refusals of the sign-in policy. */
const names: Readonly<Partial<Record<FailureName, FailureName>>> = {
  SIGN_UP_DISABLED: 'ONE_TAP_USER_NOT_FOUND',
  ACCOUNT_NOT_LINKED: 'ONE_TAP_NOT_LINKED',
  USER_NOT_CREATED: 'ONE_TAP_USER_NOT_CREATED',
  ACCOUNT_LINK_FAILED: 'ONE_TAP_NOT_LINKED',
}

const scope = 'openid,profile,email'

const refusals = {
  isInvalid: 'ONE_TAP_TOKEN_INVALID',
  hasNoEmail: 'ONE_TAP_EMAIL_MISSING',
  isNobody: 'ONE_TAP_TOKEN_INVALID',
} as const

/**
 * Verifies the id token that Google's script gave the page. `nonce`: the value that the page gave the script, so that
 * another page's token is refused.
 */
export function verifyOneTap(
  deps: Deps,
  client: Client,
  { token, nonce }: { readonly token: string; readonly nonce: string | null },
): Promise<VerifiedIdentity> {
  const limits = passwordCallLimits(deps, 'one-tap', client)
  const tokensOf = (id: string) => ({ ...sealTokens(deps, id, { idToken: token }), scope })
  return verifyIdToken(deps, client, getProvider(deps, 'google'), { token, nonce, limits, tokensOf, refusals })
}

/** Signs in by the id token that Google's script gave the page. The rules are those of every sign-in with Google. */
export async function oneTap(
  deps: Deps,
  client: Client,
  { idToken: token }: Input<typeof Call>,
): Promise<{ answer: Output<typeof Call>; issued: IssuedSession }> {
  const identity = await verifyOneTap(deps, client, { token, nonce: null })
  const signIn = { identity, requestSignUp: false, claim: null }
  const { user, issued } = await signInWithIdentity(deps, client, signIn).catch((error: unknown) => {
    const name = error instanceof Failure ? names[error.failure] : undefined
    throw name ? new Failure(name, { cause: error }) : error
  })
  return { answer: { token: issued.token, user }, issued }
}
