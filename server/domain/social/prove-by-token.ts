import { v7 as uuid } from 'uuid'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { digestOf } from '../../crypto/token.ts'
import type { Limit } from '../../db/limits.ts'
import { countOnly, noteUse } from '../../db/states.ts'
import type { Deps } from '../../deps.ts'
import type { Identity } from '../../providers/identity.ts'
import { type ConfiguredProvider, ProviderError } from '../../providers/provider.ts'
import type { Client } from '../../request/client.ts'
import { refuseIfCounted } from '../limits.ts'
import { mapProfile } from './map-profile.ts'

interface GivenToken {
  readonly configured: ConfiguredProvider
  readonly token: string
  readonly nonce: string | null
  readonly limits: readonly Limit[]
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

/** Who an id token says it is. A token signs in once: whoever finds it later has nothing. */
export async function proveByToken(
  deps: Deps,
  client: Client,
  { configured, token, nonce, limits }: GivenToken,
  refusals: Refusals,
): Promise<Identity & { readonly email: string }> {
  try {
    const digest = digestOf(signedOf(token)).toString('base64url')
    refuseIfCounted((await countOnly(deps.sql, digest, limits)).refusedFor)
    const proven = await deps.providers.identify(configured, { token, nonce }).catch(refusedAs(refusals))
    const identity = await mapProfile(deps, configured, proven)
    const { email } = identity
    if (email === null) throw new Failure(refusals.hasNoEmail)
    const seconds = configured.provider.profileOfForeign ? rememberedLong : rememberedFor
    const use = { id: uuid(), identifier: `id-token:${digest}`, seconds }
    if (!(await noteUse(deps.sql, use))) throw new Failure(refusals.isInvalid)
    return { ...identity, email }
  } catch (error) {
    if (error instanceof Failure && error.failure !== 'TOO_MANY_REQUESTS' && error.failure !== 'SERVICE_UNAVAILABLE')
      client.note('sign-in-failed', { userId: null, reason: error.failure })
    throw error
  }
}

/** What the signature vouches for: the signature itself can be written in several ways, which all verify. */
const signedOf = (token: string): string => {
  const parts = token.split('.')
  return parts.length === 3 ? parts.slice(0, 2).join('.') : token
}

const refusedAs =
  ({ isInvalid, isNobody }: Refusals) =>
  (error: unknown): never => {
    if (!(error instanceof ProviderError)) throw error
    if (error.step === 'discovery') throw new Failure('SERVICE_UNAVAILABLE', { cause: error, retryAfter: 5 })
    throw new Failure(error.step === 'profile' ? isNobody : isInvalid, { cause: error })
  }
