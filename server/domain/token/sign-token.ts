import { signToken } from '../../crypto/token-key.ts'
import type { Deps } from '../../deps.ts'
import type { ResolvedSession } from '../../request/client.ts'
import { claimsOf } from './claims.ts'
import { keyRing, signerOf } from './key-ring.ts'
import type { SignedToken } from './memory.ts'

/** Milliseconds for which a session gets the same token again, unless a tenth of its life is less. */
const reuseFor = 60_000

/** A new token for a session. */
export async function signSessionToken(deps: Deps, resolved: ResolvedSession): Promise<SignedToken> {
  const claims = await claimsOf(deps, resolved)
  const ring = await keyRing(deps)
  const signedAt = deps.now().getTime()
  const signer = signerOf(ring, signedAt)
  if (!signer) throw new Error('There is no key that could sign a token')
  const iat = Math.floor(signedAt / 1000)
  const end = Math.min(signer.signsUntil ?? Number.POSITIVE_INFINITY, endOfImpersonation(resolved))
  const exp = Math.min(iat + deps.config.JWT_EXPIRES_IN, Math.floor(end / 1000))
  return { token: signToken(signer, { ...claims, iat, exp }), keyId: signer.id, facts: factsOf(resolved), signedAt }
}

/** Who acts as somebody else has no token beyond that. */
const endOfImpersonation = ({ caller: { session } }: ResolvedSession): number =>
  session.impersonatedBy === null ? Number.POSITIVE_INFINITY : session.expiresAt.getTime()

/** The same token again for a short while, as long as it would say the same and its key still signs. */
export async function sessionToken(deps: Deps, resolved: ResolvedSession): Promise<string> {
  const { tokenMemory: memory } = deps
  const { id } = resolved.caller.session
  const known = memory.tokenOf(id)
  if (known && (await isUsable(deps, known, resolved))) return known.token
  const signed = await signSessionToken(deps, resolved)
  memory.keepToken(id, signed)
  return signed.token
}

async function isUsable(deps: Deps, known: SignedToken, resolved: ResolvedSession): Promise<boolean> {
  const time = deps.now().getTime()
  const isYoung = time - known.signedAt < Math.min(reuseFor, deps.config.JWT_EXPIRES_IN * 100)
  return isYoung && known.facts === factsOf(resolved) && signerOf(await keyRing(deps), time)?.id === known.keyId
}

/** Whatever may change what a token says. */
const factsOf = ({ caller: { session, user }, organization }: ResolvedSession): string =>
  JSON.stringify([user, organization, session.impersonatedBy])
