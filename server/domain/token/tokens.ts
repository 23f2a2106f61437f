import * as z from 'zod'
import type { Output } from '../../../shared/contract/call.ts'
import type { getToken as Call } from '../../../shared/contract/token.ts'
import { FullUser } from '../../../shared/entities.ts'
import { signToken } from '../../crypto/token-key.ts'
import type { Deps } from '../../deps.ts'
import type { ResolvedSession } from '../../request/client.ts'
import { pickValues } from '../../request/own-values.ts'
import { invalidHookAnswer, runBeforeHook } from '../hooks.ts'
import { getKeyRing, signerOf } from './key-ring.ts'
import { reuseFor, type SignedToken } from './memory.ts'

async function signSessionToken(deps: Deps, resolved: ResolvedSession): Promise<SignedToken> {
  const claims = await claimsOf(deps, resolved)
  const ring = await getKeyRing(deps)
  const signedAt = deps.now().getTime()
  const signer = signerOf(ring, signedAt)
  if (!signer) throw new Error('No key can sign a token')
  const iat = Math.floor(signedAt / 1000)
  const end = Math.min(signer.signsUntil ?? Number.POSITIVE_INFINITY, endOfImpersonation(resolved))
  const exp = Math.min(iat + deps.config.JWT_EXPIRES_IN, Math.floor(end / 1000))
  return { token: signToken(signer, { ...claims, iat, exp }), keyId: signer.id, facts: factsOf(resolved), signedAt }
}

/** A token of an impersonated session ends with the impersonation. */
const endOfImpersonation = ({ caller: { session } }: ResolvedSession): number =>
  session.impersonatedBy === null ? Number.POSITIVE_INFINITY : session.expiresAt.getTime()

/** Returns the same token again for a short while, as long as its claims are unchanged and its key still signs. */
async function sessionToken(deps: Deps, resolved: ResolvedSession): Promise<string> {
  const { tokens } = deps.tokenMemory
  const { id } = resolved.caller.session
  const known = tokens.get(id)
  if (known && (await isUsable(deps, known, resolved))) return known.token
  const signed = await signSessionToken(deps, resolved)
  tokens.set(id, signed)
  return signed.token
}

async function isUsable(deps: Deps, known: SignedToken, resolved: ResolvedSession): Promise<boolean> {
  const time = deps.now().getTime()
  const age = time - known.signedAt
  // Negative once the clock was set back: verifiers would refuse it, or accept it for too long.
  const isYoung = age >= 0 && age < Math.min(reuseFor, deps.config.JWT_EXPIRES_IN * 100)
  return isYoung && known.facts === factsOf(resolved) && signerOf(await getKeyRing(deps), time)?.id === known.keyId
}

/** Everything that can change a token's claims. */
const factsOf = ({ caller: { session, user, provenAddress }, organization }: ResolvedSession): string =>
  JSON.stringify([user, provenAddress !== null, organization, session.impersonatedBy])

/** A session's claims, without the times. */
type Claims = Readonly<Record<string, unknown>>

/**
 * We set the claims that identify and bound a token. The others are the user's fields, reduced as the settings say, or
 * what the application's function returns in their place.
 */
async function claimsOf(deps: Deps, resolved: ResolvedSession): Promise<Claims> {
  const { JWT_ISSUER: iss, JWT_AUDIENCE: audience } = deps.config
  const { session, user } = resolved.caller
  return {
    ...(await payloadOf(deps, resolved)),
    ...registered,
    // The impersonator, when somebody acts as the user (RFC 8693, 4.1).
    ...(session.impersonatedBy === null ? {} : { act: { sub: session.impersonatedBy } }),
    iss,
    aud: audience.length === 1 ? audience[0] : audience,
    sub: user.id,
  }
}

/** The application's function cannot set these. Undefined ones are left out of the JSON. */
const registered = { act: undefined, exp: undefined, iat: undefined, jti: undefined, nbf: undefined }

async function payloadOf({ config }: Deps, { caller, organization }: ResolvedSession): Promise<Claims> {
  const { defineTokenPayload } = config.extensions
  // Other services rely on it: true only for users who proved the mailbox.
  const emailVerified = caller.user.emailVerified && caller.provenAddress !== null
  const user = { ...withoutPicture(caller.user), emailVerified }
  if (defineTokenPayload) return customPayload(await runBeforeHook(defineTokenPayload, { user, organization }))
  return {
    ...(config.JWT_CLAIMS === 'full' ? z.encode(UserClaims, user) : {}),
    ...pickValues(user.fields, config.ownFields.user.inTokens),
    ...(organization ? { organization } : {}),
  }
}

/** The fields of ours that tokens have. */
const UserClaims = FullUser.omit({ fields: true })

/** An inline data: picture would make every request with the token longer than proxies accept. */
const withoutPicture = (user: FullUser): FullUser => (user.image?.startsWith('data:') ? { ...user, image: null } : user)

function customPayload(answer: unknown): Claims {
  if (answer === null || typeof answer !== 'object' || Array.isArray(answer))
    throw invalidHookAnswer('defineTokenPayload', 'an object of claims')
  return answer as Claims
}

/** A token for other services with its full lifetime. */
export async function getToken(deps: Deps, resolved: ResolvedSession): Promise<Output<typeof Call>> {
  const { token } = await signSessionToken(deps, resolved)
  return { token }
}

/** Proxies limit all headers of a response to 4 to 8 KB. A longer token is available from its own call. */
const maxLength = 3072

/** The token that get-session sends along. Null when there is none or it fails, which never fails the request. */
export async function tokenForHeader(deps: Deps, resolved: ResolvedSession): Promise<string | null> {
  // The token opens other services, which do not know a key's scopes.
  if (!deps.config.JWT_HEADER || resolved.caller.key) return null
  try {
    const token = await sessionToken(deps, resolved)
    return token.length > maxLength ? null : token
  } catch (err) {
    deps.log.warn({ err, sessionId: resolved.caller.session.id }, 'get-session was answered without a token')
    return null
  }
}
