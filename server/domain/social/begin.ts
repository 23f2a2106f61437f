import { v7 as uuid } from 'uuid'
import { Failure } from '../../../shared/failure.ts'
import { inputProblem } from '../../../shared/input-problem.ts'
import { providerIds } from '../../../shared/providers.ts'
import { randomText } from '../../crypto/token.ts'
import type { Limits } from '../../db/limits.ts'
import { storeState } from '../../db/states.ts'
import type { Deps } from '../../deps.ts'
import { type ConfiguredProvider, ProviderError } from '../../providers/provider.ts'
import { refuseIfCounted } from '../limits.ts'
import { type Begun, type Purpose, sealBegun, stateIdentifier, stateLife } from './state.ts'

/** The provider of a call; a name that is none is a wrong input, one that is not configured is not found. */
export function getProvider({ providers }: Deps, id: string): ConfiguredProvider {
  const found = providers.find(id)
  if (found) return found
  if ((providerIds as readonly string[]).includes(id)) throw new Failure('PROVIDER_NOT_FOUND')
  throw new Failure('INVALID_BODY', { details: [inputProblem(['provider'], 'the id of a provider')] })
}

/** Where a provider sends its browsers back to: from the settings, never from a request. */
export const redirectUriOf = ({ config }: Deps, provider: string): string =>
  `${config.BASE_URL.origin}${config.BASE_PATH}/callback/${provider}`

export interface Wanted {
  readonly purpose: Purpose
  readonly callbackURL?: string | undefined
  readonly errorCallbackURL?: string | undefined
  readonly newUserCallbackURL?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly loginHint?: string | undefined
  /** Counted with it. */
  readonly limits: Limits
}

/** One statement: counts, and stores what was begun. Answers where to send the browser, and the state that it brings back. */
export async function begin(
  deps: Deps,
  configured: ConfiguredProvider,
  wanted: Wanted,
): Promise<{ url: string; state: string }> {
  const { provider, registration } = configured
  const [state, verifier, nonce] = [randomText(32), randomText(128), randomText(32)]
  const scopes = [...(wanted.scopes ?? [])]
  const redirectUri = redirectUriOf(deps, provider.id)
  const beginning = { state, verifier, nonce, scopes, redirectUri, loginHint: wanted.loginHint || undefined }
  const url = await deps.providers.begin(configured, beginning).catch(away)
  const begun: Begun = {
    provider: provider.id,
    verifier,
    nonce,
    scopes: [...(registration.scopes ?? provider.scopes), ...scopes],
    callbackURL: wanted.callbackURL || deps.config.BASE_URL.origin,
    errorCallbackURL: wanted.errorCallbackURL || undefined,
    newUserCallbackURL: wanted.newUserCallbackURL || undefined,
    purpose: wanted.purpose,
  }
  const identifier = stateIdentifier(state)
  const userId = wanted.purpose.kind === 'link' ? wanted.purpose.userId : null
  const row = { id: uuid(), identifier, value: sealBegun(deps, identifier, begun), userId, seconds: stateLife }
  const { refusedFor } = await storeState(deps.sql, row, wanted.limits)
  refuseIfCounted(refusedFor)
  return { url, state }
}

/** A provider that does not say where its endpoints are. */
function away(error: unknown): never {
  throw error instanceof ProviderError ? new Failure('SERVICE_UNAVAILABLE', { cause: error, retryAfter: 5 }) : error
}
