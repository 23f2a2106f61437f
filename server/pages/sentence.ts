import { redirectErrors } from '../../shared/errors.ts'

/** For a code that we never send: whoever wrote it, none of their words is shown. */
const unknown = 'Something went wrong. Start again.'

export const isKnownCode = (code: string): code is keyof typeof redirectErrors => Object.hasOwn(redirectErrors, code)

/** The fixed sentence of a redirect's error code (spec section 8). */
export const sentenceOf = (code: string): string => (isKnownCode(code) ? redirectErrors[code] : unknown)
