import { isVerificationLive } from '../../db/verifications.ts'
import type { Deps } from '../../deps.ts'
import { identifierOf } from '../mailed-link.ts'

/** Where a reset link leads, as an absolute address; the token is not consumed, so that a mail scanner does no harm. */
export async function openResetLink({ config, sql }: Deps, token: string, callbackURL: string): Promise<string> {
  const base = new URL(`${config.BASE_PATH}/error`, config.BASE_URL)
  const target = callbackURL === '' ? base : new URL(callbackURL, config.BASE_URL)
  const isLive = callbackURL !== '' && (await isVerificationLive(sql, identifierOf['reset-password'](token)))
  if (isLive) target.searchParams.set('token', token)
  else target.searchParams.set('error', 'INVALID_TOKEN')
  return target.href
}
