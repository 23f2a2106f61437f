/** The API's path when the address has none. */
export const defaultApiPath = '/api/auth'

/**
 * Only plain characters and no dot segments: each call has one spelling, so that no encoding slips past a limit or a
 * rule.
 */
export const canonicalPath = /^(\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/

/** The address of the API, without a final slash, from a service address as people write it. */
export const apiBaseAt = ({ origin, pathname }: Pick<URL, 'origin' | 'pathname'>): string =>
  origin + (pathname.replace(/\/+$/, '') || defaultApiPath)

/** The inverse of `apiBaseAt`: a service address as people write it and the command line accepts it. */
export function serviceAddress(base: string): string {
  const { origin, pathname } = new URL(base)
  return pathname === defaultApiPath ? origin : base
}
