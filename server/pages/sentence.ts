import { redirectErrors } from '../../shared/errors.ts'

/** For any unknown code: text from elsewhere is never shown. */
const unknown = 'Something went wrong. Start again.'

export const isKnownCode = (code: string): code is keyof typeof redirectErrors => Object.hasOwn(redirectErrors, code)

/** The fixed sentence of a redirect's error code. */
export const redirectSentence = (code: string): string => (isKnownCode(code) ? redirectErrors[code] : unknown)
