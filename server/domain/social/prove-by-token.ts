import { v7 as uuid } from 'uuid'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { digestOf } from '../../crypto/token.ts'
import type { Limits } from '../../db/limits.ts'
import { countOnly, isUsed, noteUse } from '../../db/states.ts'
import type { Deps } from '../../deps.ts'
import { subscriberOf } from '../../limits/ip-address.ts'
import { type ConfiguredProvider, ProviderError } from '../../providers/provider.ts'
import type { Client } from '../../request/client.ts'
import { recordRefusal } from '../audit/record.ts'
import { refuseIfCounted } from '../limits.ts'
import type { Proven, TokenUse } from './enter.ts'
import { mapProfile } from './map-profile.ts'

interface GivenToken {
  readonly configured: ConfiguredProvider
  readonly token: string
  readonly nonce: string | null
  readonly limits: Limits
}

/** How a call names each refusal. */
interface Refusals {
  readonly isInvalid: FailureName
  readonly hasNoEmail: FailureName
  readonly isNobody: FailureName
}

/** Seconds for which a used token is remembered: longer than any is taken, tolerance of clocks included. */
const rememberedFor = 2 * 3600
/** Access tokens in place of id tokens live for weeks (Facebook: 60 days). */
const rememberedLong = 70 * 86_400

/** Of what is signed: the signature itself can be written in many ways (padding, bits that are left over) and is as good. */
const identifierOf = (token: string): string => {
  const parts = token.split('.')
  return `id-token:${digestOf(parts.length === 3 ? parts.slice(0, 2).join('.') : token).toString('base64url')}`
}

/**
 * An id token that we hand out is used up: whoever holds a session, however old, could make it a new and fresh one, which
 * would outlive the first.
 */
export async function useUp(deps: Deps, { provider }: ConfiguredProvider, token: string | null): Promise<void> {
  if (token === null || !provider.idToken?.isForSignIn) return
  await noteUse(deps.sql, { id: uuid(), identifier: identifierOf(token), seconds: rememberedFor })
}

/** A blank more makes another text of an access token that a provider may take for the same (RFC 6750, 2.1). */
const isPlain = (token: string): boolean => /^[\w.~+/=-]+$/.test(token)

/**
 * Who an id token says it is. A token signs in once: whoever finds it later has nothing. It is used up by the statement that
 * signs in, and not before: where that fails it is as good as it was.
 */
export async function proveByToken(
  deps: Deps,
  client: Client,
  { configured, token, nonce, limits }: GivenToken,
  refusals: Refusals,
): Promise<Pick<Proven, 'identity'> & { readonly use: TokenUse }> {
  try {
    refuseIfCounted((await countOnly(deps.sql, identifierOf(token), limits)).refusedFor)
    if (!isPlain(token)) throw new Failure(refusals.isInvalid)
    const caller = subscriberOf(client.address)
    const proven = await deps.providers.identify(configured, { token, nonce }, caller).catch(refusedAs(refusals))
    const identity = await mapProfile(deps, configured, proven)
    const { email } = identity
    if (email === null) throw new Failure(refusals.hasNoEmail)
    const seconds = configured.provider.profileOfForeign ? rememberedLong : rememberedFor
    const use = { id: uuid(), identifier: identifierOf(token), seconds, refusal: refusals.isInvalid }
    if (await isUsed(deps.sql, use.identifier)) throw new Failure(use.refusal)
    return { identity: { ...identity, email }, use }
  } catch (error) {
    if (error instanceof Failure && error.failure !== 'TOO_MANY_REQUESTS' && error.failure !== 'SERVICE_UNAVAILABLE')
      await recordRefusal(deps, client, 'sign-in-failed', { userId: null, reason: error.failure })
    throw error
  }
}

const refusedAs =
  ({ isInvalid, isNobody }: Refusals) =>
  (error: unknown): never => {
    if (!(error instanceof ProviderError)) throw error
    if (error.step === 'discovery') throw new Failure('SERVICE_UNAVAILABLE', { cause: error, retryAfter: 5 })
    throw new Failure(error.step === 'profile' ? isNobody : isInvalid, { cause: error })
  }
