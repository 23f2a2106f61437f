import { Failure } from '../../../shared/failure.ts'
import type { Config } from '../../config.ts'
import { isCommon } from './common-passwords.ts'

type Rules = Pick<Config, 'MIN_PASSWORD_LENGTH' | 'MAX_PASSWORD_LENGTH' | 'BASE_URL'>

/**
 * For every call that sets a password. Length in code points as typed, checked before anything is normalised or hashed; then
 * common passwords and words about the service. `about`: what others know of the user, address and name.
 */
export function checkPassword(config: Rules, password: string, about: readonly string[] = []): void {
  checkLength(config, password)
  const { hostname } = config.BASE_URL
  if (isCommon(password, [...about, hostname, ...hostname.split('.')])) throw new Failure('PASSWORD_TOO_COMMON')
}

function checkLength({ MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH }: Rules, password: string): void {
  const tooLong = () => new Failure('PASSWORD_TOO_LONG', { limit: MAX_PASSWORD_LENGTH })
  // A code point has one or two code units, so a huge text is refused without being walked.
  if (password.length > 2 * MAX_PASSWORD_LENGTH) throw tooLong()
  const length = codePoints(password)
  if (length < MIN_PASSWORD_LENGTH) throw new Failure('PASSWORD_TOO_SHORT', { limit: MIN_PASSWORD_LENGTH })
  if (length > MAX_PASSWORD_LENGTH) throw tooLong()
}

export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}
