import { redirectErrors } from '../../shared/errors.ts'
import type { Words } from '../languages/words.ts'

export const isKnownCode = (code: string): code is keyof typeof redirectErrors => Object.hasOwn(redirectErrors, code)

/** The fixed sentence of a redirect's error code. For any unknown code: text from elsewhere is never shown. */
export const redirectSentence = ({ redirect, unknownError }: Words, code: string): string =>
  isKnownCode(code) ? redirect[code] : unknownError
