import { Failure } from '../../../shared/failure.ts'
import { digestOf } from '../../crypto/token.ts'
import { findLinker, type WaitingLinker } from '../../db/device-links.ts'
import { isFreshProof } from '../../db/session-look-up.ts'
import type { Deps } from '../../deps.ts'
import type { Client } from '../../request/client.ts'
import { ProvenAddress } from '../../request/proven-address.ts'
import { addressLimits } from '../limits.ts'
import { begin, getProvider } from '../social/begin.ts'
import { type Linker, linkTo } from '../social/link.ts'
import type { VerifiedIdentity } from '../social/verify-identity.ts'
import { openClaim } from './claim.ts'
import { denyAsStale } from './decide.ts'

/** Goes on to the provider of the link that this browser has claimed; errors lead back to the page. */
export async function beginDeviceLink(
  deps: Deps,
  client: Client,
  secret: string,
  provider: string,
): Promise<{ readonly url: string; readonly state: string }> {
  const request = await openClaim(deps, secret)
  if (request === null || request.linkerId === null || request.provider !== provider)
    throw new Failure('DEVICE_DECIDED')
  const page = `${deps.config.BASE_PATH}/page/device`
  return begin(deps, getProvider(deps, provider), {
    purpose: { kind: 'device-link', claim: digestOf(secret).toString('base64url') },
    callbackURL: `${page}/linked`,
    errorCallbackURL: `${page}/request`,
    limits: addressLimits(deps, 'sign-in-social', client),
  })
}

/**
 * Links to who asked, and tells them. The browser that came back may be anybody's who knows the code: somebody who shall
 * hand over an identity, or one who would slip in a foreign one. So it has to have proven to be the one who asks, or both
 * sides have verified the same address, as a provider states that we trust.
 */
export async function linkByClaim(
  deps: Deps,
  client: Client,
  claim: Buffer,
  identity: VerifiedIdentity,
): Promise<void> {
  const linker = await findLinker(deps.sql, claim, identity.key.providerId)
  if (!linker || !(linker.isProven || isSamePerson(linker, identity))) throw new Failure('ACCOUNT_LINK_FAILED')
  try {
    await linkTo(deps, client, linkerOf(deps, linker, claim), identity)
  } catch (error) {
    // Who waits at a terminal can mend it only there, and is told at once.
    if (error instanceof Failure && error.failure === 'SESSION_NOT_FRESH') await denyAsStale(deps, client, claim)
    throw error
  }
}

const linkerOf = (
  { config }: Deps,
  { userId, sessionId, email, emailVerified, addressProven, proofAge }: WaitingLinker,
  claim: Buffer,
): Linker => ({
  user: { id: userId, email, emailVerified },
  session: { id: sessionId },
  provenAddress: ProvenAddress.ofSession({ addressProven }, { email }),
  isFresh: isFreshProof(proofAge, { freshAge: config.SESSION_FRESH_AGE }),
  claim,
})

/** The provider proves the very address that whoever asked has proven, too. */
const isSamePerson = ({ email, addressProven }: WaitingLinker, { address }: VerifiedIdentity): boolean =>
  addressProven && address?.email === email
