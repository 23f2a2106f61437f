import { redirectErrors } from '../../shared/errors.ts'
import type { Words } from '../languages/words.ts'
import { isDenial } from '../providers/denial.ts'

export const isKnownCode = (code: string): code is keyof typeof redirectErrors => Object.hasOwn(redirectErrors, code)

/** The fixed sentence of a redirect's error code. For any unknown code: text from elsewhere is never shown. */
export function redirectSentence({ redirect, unknownError }: Words, code: string): string {
  if (isDenial(code)) return redirect.access_denied
  return isKnownCode(code) ? redirect[code] : unknownError
}
