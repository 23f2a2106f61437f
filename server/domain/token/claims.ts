import * as z from 'zod'
import { FullUser } from '../../../shared/entities.ts'
import type { Deps } from '../../deps.ts'
import type { ResolvedSession } from '../../request/client.ts'
import { runBefore, wrongAnswer } from '../hooks.ts'

/** What a token tells of a session, times left out. */
export type Claims = Readonly<Record<string, unknown>>

/**
 * What identifies and bounds a token is ours to say; the rest is the user, or only what the settings leave of it, or what the
 * application's function answers in its place.
 */
export async function claimsOf(deps: Deps, resolved: ResolvedSession): Promise<Claims> {
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
