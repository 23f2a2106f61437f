import { isRedirectError } from '../../shared/errors.ts'
import type { Words } from '../languages/words.ts'
import { isDenial } from '../providers/denial.ts'

/** The fixed sentence of a redirect's error code. For any unknown code: text from elsewhere is never shown. */
export function redirectSentence({ redirect, unknownError }: Words, code: string): string {
  if (isDenial(code)) return redirect.access_denied
  return isRedirectError(code) ? redirect[code] : unknownError
}
