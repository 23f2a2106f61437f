import { isRedirectError, type RedirectError } from '../../../shared/errors.ts'
import { Failure, wireOf } from '../../../shared/failure.ts'
import type { Config } from '../../config.ts'
import { ProviderError } from '../../providers/provider.ts'
import { HookRefusal } from '../../settings/hook-refusal.ts'

/** Why a browser that returns from a provider is redirected to a page with `error=`. */
export class RedirectRefusal extends Error {
  override readonly name = 'RedirectRefusal'
  /** A code of our own, or the provider's. */
  readonly code: string
  readonly description: string | undefined
  constructor(code: string, options: { readonly description?: string | undefined; readonly cause?: unknown } = {}) {
    super(code, { cause: options.cause })
    this.code = code
    this.description = options.description
  }
}

const codeOfStep: Readonly<Record<ProviderError['step'], RedirectError>> = {
  discovery: 'invalid_code',
  token: 'invalid_code',
  'id-token': 'unable_to_get_user_info',
  profile: 'unable_to_get_user_info',
}

/** Any error of a callback as a code that a browser may carry. Errors that are no refusals become internal errors. */
export function toRedirectRefusal(error: unknown, { BANNED_USER_MESSAGE }: Config): RedirectRefusal {
  if (error instanceof RedirectRefusal) return error
  if (error instanceof ProviderError) return new RedirectRefusal(codeOfStep[error.step], { cause: error })
  if (error instanceof HookRefusal) return new RedirectRefusal(error.code.toLowerCase(), { description: error.message })
  if (!(error instanceof Failure)) return new RedirectRefusal('internal_server_error', { cause: error })
  const { body } = wireOf(error.failure)
  if (error.failure === 'BANNED_USER')
    return new RedirectRefusal('banned', { description: BANNED_USER_MESSAGE ?? error.message })
  const code = body && 'code' in body ? body.code.toLowerCase() : ''
  return new RedirectRefusal(isRedirectError(code) ? code : 'internal_server_error', { cause: error })
}

/** The characters of an error code (RFC 6749, 4.1.2.1). */
const errorCode = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,64}$/

/**
 * The provider's own code and description; the caller encodes them when building an address. `invalid_callback_request`
 * when the text is no valid code.
 */
export const providerRefusal = (error: string, description: string | undefined): RedirectRefusal =>
  new RedirectRefusal(errorCode.test(error) ? error : 'invalid_callback_request', {
    description: description?.replaceAll(/\p{C}+/gu, ' ').slice(0, 200) || undefined,
  })
