import { Failure } from '../../../shared/failure.ts'
import { digestTextOf } from '../../crypto/token.ts'
import { findLinkRequester, type LinkRequester } from '../../db/device-links.ts'
import { isFreshProof } from '../../db/session-look-up.ts'
import type { Deps } from '../../deps.ts'
import { serviceBaseOf } from '../../mail/links.ts'
import type { Client } from '../../request/client.ts'
import { isLinkProofNeeded } from '../../request/link-proof.ts'
import { ProvenAddress } from '../../request/proven-address.ts'
import { passwordCallLimits } from '../limits.ts'
import { beginSocialFlow, getProvider } from '../social/begin-social-flow.ts'
import { type LinkingUser, linkIdentity } from '../social/link-identity.ts'
import { RedirectRefusal } from '../social/redirect-refusal.ts'
import type { VerifiedIdentity } from '../social/verify-identity.ts'
import { findBoundRequest } from './browser-binding.ts'
import { denyAsStale } from './decide.ts'

/** Continues at the provider of the link that is bound to this browser. Errors lead back to the page. */
export async function beginDeviceLink(
  deps: Deps,
  client: Client,
  secret: string,
  provider: string,
): Promise<{ readonly url: string; readonly state: string }> {
  const request = await findBoundRequest(deps, secret)
  if (request === null || request.linkerId === null || request.provider !== provider)
    throw new Failure('DEVICE_DECIDED')
  const page = `${serviceBaseOf(deps.config)}/page/device`
  return beginSocialFlow(deps, getProvider(deps, provider), {
    purpose: { kind: 'device-link', claim: digestTextOf(secret) },
    callbackURL: `${page}/linked`,
    errorCallbackURL: `${page}/request`,
    limits: passwordCallLimits(deps, 'sign-in-social', client),
  })
}

/**
 * Links the identity to the user who asked, and tells them by mail. Anybody who knows the code could have sent this
 * browser: a victim tricked into handing over an identity, or an attacker slipping in a foreign one. So the browser has
 * to have proven to be that user, or a provider that we trust has to state the same address that the user has verified.
 */
export async function linkForBinding(
  deps: Deps,
  client: Client,
  claim: Buffer,
  identity: VerifiedIdentity,
): Promise<void> {
  const linker = await findLinkRequester(deps.sql, claim)
  if (!linker) throw new Failure('ACCOUNT_LINK_FAILED')
  if (!(linker.isProven || isSamePerson(linker, identity))) throw notProven(deps, linker, identity)
  try {
    await linkIdentity(deps, client, linkerOf(deps, linker, claim), identity)
  } catch (error) {
    // The user at the terminal can fix this only there, so the terminal is told at once.
    if (error instanceof Failure && error.failure === 'SESSION_NOT_FRESH') await denyAsStale(deps, client, claim)
    throw error
  }
}

const linkerOf = (
  { config }: Deps,
  { userId, sessionId, email, emailVerified, addressProven, proofAge }: LinkRequester,
  claim: Buffer,
): LinkingUser => ({
  user: { id: userId, email, emailVerified },
  session: { id: sessionId },
  provenAddress: ProvenAddress.ofSession({ addressProven }, { email }),
  isFresh: isFreshProof(proofAge, { freshAge: config.SESSION_FRESH_AGE }),
  claim,
})

/** The same for every identity, so that a stranger learns nothing about its address or the asking user's. */
const notProven = ({ config }: Deps, { addressProven }: LinkRequester, { key }: VerifiedIdentity): Error =>
  isLinkProofNeeded(config, { provider: key.providerId, addressProven })
    ? new RedirectRefusal('link_not_proven')
    : new Failure('ACCOUNT_LINK_FAILED')

/** Whether the provider proves the same address that the asking user has proven. */
const isSamePerson = ({ email, addressProven }: LinkRequester, { address }: VerifiedIdentity): boolean =>
  addressProven && address?.email === email
