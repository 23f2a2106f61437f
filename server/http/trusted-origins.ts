import type { Config } from '../config.ts'

/** The one rule for where a browser may be sent and where a request may come from. */
export interface TrustedOrigins {
  /** For an Origin or Referer header: an absolute address with a trusted origin. */
  isTrustedOrigin(text: string): boolean
  /** For a redirect target: a safe relative path, or an absolute address with a trusted origin. */
  readonly isSafeTarget: (text: string) => boolean
}

/** One slash that no other slash follows in any spelling. Then plain characters, with `%` only after the `?`. */
const safePath = /^\/(?![/\\]|%2f|%5c)[A-Za-z0-9_\-.+/@]*(?:\?[A-Za-z0-9_\-.+/=&%@]*)?$/i

/** Checked again after dot segments are resolved, because `/..//host` becomes `//host`. */
const isSafePath = (text: string): boolean =>
  safePath.test(text) && !new URL(text, 'http://localhost').pathname.startsWith('//')

/**
 * Requires an authority: the parser accepts any number of slashes after `http:`, other readers do not. One that is
 * longer than any host is not parsed: 60,000 characters that claim to be Punycode take it a tenth of a second.
 */
const absolute = /^(?:https?:\/\/(?!\/)|(?!https?:)[a-z][a-z0-9+.-]*:\/\/)[^/?#]{0,2048}(?:[/?#]|$)/i

// The parser drops tabs and line breaks and reads a backslash as a slash. The text that we check must be the text that
// it reads.
const isPlain = (text: string): boolean => /^[\x21-\x7e]+$/.test(text) && !text.includes('\\')

export function createTrustedOrigins({ BASE_URL, TRUSTED_ORIGINS }: Config): TrustedOrigins {
  const isTrustedUrl = (url: URL) =>
    !url.username &&
    !url.password &&
    (url.origin === BASE_URL.origin || TRUSTED_ORIGINS.some((matches) => matches(url)))
  const isTrustedOrigin = (text: string) =>
    // What a page of our own sends needs no parsing.
    text === BASE_URL.origin ||
    (isPlain(text) && absolute.test(text) && URL.canParse(text) && isTrustedUrl(new URL(text)))
  return { isTrustedOrigin, isSafeTarget: (text) => isSafePath(text) || isTrustedOrigin(text) }
}
