import { Failure } from '../../../shared/failure.ts'
import { digestOf, digestTextOf } from '../../crypto/token.ts'
import { bindSessionUser } from '../../db/device-browser-bindings.ts'
import { bindUserByPassword } from '../../db/device-user-bindings.ts'
import type { Deps } from '../../deps.ts'
import { serviceBaseOf } from '../../mail/links.ts'
import type { Caller, Client } from '../../request/client.ts'
import { signInWithPassword } from '../account/sign-in.ts'
import { passwordCallLimits } from '../limits.ts'
import { beginSocialFlow, getProvider } from '../social/begin-social-flow.ts'
import { verifyOneTap } from '../social/one-tap.ts'
import { signInWithIdentity } from '../social/sign-in-with-identity.ts'
import { isUnimpersonated } from './user-code.ts'

/** Begins at a provider. Its callback identifies the approver and leads back to the page, with errors too. */
export function identifyAtProvider(
  deps: Deps,
  client: Client,
  secret: string,
  provider: string,
): Promise<{ readonly url: string; readonly state: string }> {
  const page = `${serviceBaseOf(deps.config)}/page/device/request`
  return beginSocialFlow(deps, getProvider(deps, provider), {
    purpose: { kind: 'device', claim: digestTextOf(secret) },
    callbackURL: page,
    errorCallbackURL: page,
    limits: passwordCallLimits(deps, 'sign-in-social', client),
  })
}

/** Bound to this browser's secret: an id token made for another page, or without a nonce, is not accepted. */
export const oneTapNonce = (secret: string): string => digestTextOf(`one-tap:${secret}`)

/** Identifies the approver by a token that Google's script gave the page. */
export async function identifyByOneTap(deps: Deps, client: Client, secret: string, token: string): Promise<void> {
  const identity = await verifyOneTap(deps, client, { token, nonce: oneTapNonce(secret) })
  await signInWithIdentity(deps, client, { identity, requestSignUp: false, claim: digestOf(secret) })
}

/** Identifies the approver by a password. The browser's own session is neither created nor ended. */
export async function identifyByPassword(
  deps: Deps,
  client: Client,
  secret: string,
  credentials: { readonly email: string; readonly password: string },
): Promise<void> {
  const claim = digestOf(secret)
  await signInWithPassword(deps, client, credentials, async ({ proof: { user, hash, counters }, admitted }) => {
    const person = { claim, userId: user.id, hash, counters, admitted }
    const { isAllowed, isBound } = await bindUserByPassword(deps.sql, person)
    if (isAllowed && !isBound) throw new Failure('DEVICE_DECIDED')
    return isAllowed ? true : null
  })
}

/** Identifies the approver as the user who is signed in in this browser. */
export async function identifyBySession({ sql }: Deps, caller: Caller | null, secret: string): Promise<void> {
  const isBound = isUnimpersonated(caller) && (await bindSessionUser(sql, digestOf(secret), caller.session.id))
  if (!isBound) throw new Failure('DEVICE_UNAUTHORIZED')
}
