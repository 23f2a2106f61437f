import { Failure } from '../../../shared/failure.ts'
import type { Config } from '../../config.ts'

/** Length in code points as typed; checked before anything is normalised or hashed. */
export function checkPassword({ MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH }: Config, password: string): void {
  // A code point has one or two code units, so a huge text is refused without being walked.
  if (password.length > 2 * MAX_PASSWORD_LENGTH) throw new Failure('PASSWORD_TOO_LONG')
  const length = codePoints(password)
  if (length < MIN_PASSWORD_LENGTH) throw new Failure('PASSWORD_TOO_SHORT')
  if (length > MAX_PASSWORD_LENGTH) throw new Failure('PASSWORD_TOO_LONG')
}

export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}
