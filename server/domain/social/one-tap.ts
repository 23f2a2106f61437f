import type { Input, Output } from '../../../shared/contract/call.ts'
import type { oneTap as Call } from '../../../shared/contract/social.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Deps } from '../../deps.ts'
import type { Client, IssuedSession } from '../../request/client.ts'
import { addressLimits } from '../limits.ts'
import { getProvider } from './begin.ts'
import { enterBy, type Proven } from './enter.ts'
import { proveByToken } from './prove-by-token.ts'
import { sealTokens } from './seal-tokens.ts'

/** This call's own names for what the policy refuses. */
const names: Readonly<Partial<Record<FailureName, FailureName>>> = {
  SIGN_UP_DISABLED: 'ONE_TAP_USER_NOT_FOUND',
  ACCOUNT_NOT_LINKED: 'ONE_TAP_NOT_LINKED',
  USER_NOT_CREATED: 'ONE_TAP_USER_NOT_CREATED',
  ACCOUNT_LINK_FAILED: 'ONE_TAP_NOT_LINKED',
}

const scope = 'openid,profile,email'

/** Who Google's own script says it is. `nonce`: what the page gave the script, so that no token of another page will do. */
export async function proveOneTap(
  deps: Deps,
  client: Client,
  given: { readonly token: string; readonly nonce: string | null },
): Promise<Proven> {
  const configured = getProvider(deps, 'google')
  const limits = addressLimits(deps, 'one-tap', client)
  const proven = await proveByToken(
    deps,
    client,
    { configured, ...given, limits },
    {
      isInvalid: 'ONE_TAP_TOKEN_INVALID',
      hasNoEmail: 'ONE_TAP_EMAIL_MISSING',
      isNobody: 'ONE_TAP_TOKEN_INVALID',
    },
  )
  const tokensOf = (id: string) => ({ ...sealTokens(deps, id, { idToken: given.token }), scope })
  return { configured, ...proven, requestSignUp: false, tokensOf }
}

/** Google's own script gave the page an id token: the same rules as for any other way to sign in with Google. */
export async function oneTap(
  deps: Deps,
  client: Client,
  { idToken: token }: Input<typeof Call>,
): Promise<{ answer: Output<typeof Call>; issued: IssuedSession }> {
  const proven = await proveOneTap(deps, client, { token, nonce: null })
  const { user, issued } = await enterBy(deps, client, proven).catch((error: unknown) => {
    const name = error instanceof Failure ? names[error.failure] : undefined
    throw name ? new Failure(name, { cause: error }) : error
  })
  return { answer: { token: issued.token, user }, issued }
}
