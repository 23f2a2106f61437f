import * as z from 'zod'
import type { Output } from '../../../shared/contract/call.ts'
import type { getToken as Call } from '../../../shared/contract/token.ts'
import { FullUser } from '../../../shared/entities.ts'
import { signToken } from '../../crypto/token-key.ts'
import type { Deps } from '../../deps.ts'
import type { ResolvedSession } from '../../request/client.ts'
import { runBefore, wrongAnswer } from '../hooks.ts'
import { keyRing, signerOf } from './key-ring.ts'
import type { SignedToken } from './memory.ts'

/** Milliseconds for which a session gets the same token again, unless a tenth of its life is less. */
const reuseFor = 60_000

/** A new token for a session. */
async function signSessionToken(deps: Deps, resolved: ResolvedSession): Promise<SignedToken> {
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
async function sessionToken(deps: Deps, resolved: ResolvedSession): Promise<string> {
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

/** What a token tells of a session, times left out. */
type Claims = Readonly<Record<string, unknown>>

/**
 * What identifies and bounds a token is ours to say; the rest is the user, or only what the settings leave of it, or what the
 * application's function answers in its place.
 */
async function claimsOf(deps: Deps, resolved: ResolvedSession): Promise<Claims> {
  const { JWT_ISSUER: iss, JWT_AUDIENCE: audience } = deps.config
  const { session, user } = resolved.caller
  return {
    ...(await payloadOf(deps, resolved)),
    ...registered,
    // Who really acts, where somebody acts as the user (RFC 8693, 4.1).
    ...(session.impersonatedBy === null ? {} : { act: { sub: session.impersonatedBy } }),
    iss,
    aud: audience.length === 1 ? audience[0] : audience,
    sub: user.id,
  }
}

/** No function of the application can set these: left out of the text where we do not. */
const registered = { act: undefined, exp: undefined, iat: undefined, jti: undefined, nbf: undefined }

async function payloadOf({ config }: Deps, { caller, organization }: ResolvedSession): Promise<Claims> {
  const { defineTokenPayload } = config.extensions
  // Other services grant by it: true only of who proved the mailbox.
  const emailVerified = caller.user.emailVerified && caller.provenAddress !== null
  const user = { ...withoutPicture(caller.user), emailVerified }
  if (defineTokenPayload) return customPayload(await runBefore(defineTokenPayload, { user, organization }))
  return {
    ...(config.JWT_CLAIMS === 'full' ? z.encode(FullUser, user) : {}),
    ...(organization ? { organization } : {}),
  }
}

/** A picture of its own bytes would make every request that carries the token longer than proxies take. */
const withoutPicture = (user: FullUser): FullUser => (user.image?.startsWith('data:') ? { ...user, image: null } : user)

function customPayload(answer: unknown): Claims {
  if (answer === null || typeof answer !== 'object' || Array.isArray(answer))
    throw wrongAnswer('defineTokenPayload', 'an object of claims')
  return answer as Claims
}

/** A token for other services, with its whole life before it. */
export async function getToken(deps: Deps, resolved: ResolvedSession): Promise<Output<typeof Call>> {
  const { token } = await signSessionToken(deps, resolved)
  return { token }
}

/** Proxies give all headers of an answer 4 to 8 KB; a longer token is to be had from its own call. */
const maxLength = 3072

/** The token that get-session sends along; null where there is none, since that is never a reason not to answer. */
export async function headerToken(deps: Deps, resolved: ResolvedSession): Promise<string | null> {
  // A token opens other services, which know nothing of the scopes of a key.
  if (!deps.config.JWT_HEADER || resolved.caller.key) return null
  try {
    const token = await sessionToken(deps, resolved)
    return token.length > maxLength ? null : token
  } catch (err) {
    deps.log.warn({ err, sessionId: resolved.caller.session.id }, 'get-session was answered without a token')
    return null
  }
}
