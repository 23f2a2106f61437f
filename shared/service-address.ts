/** The API's path when the address has none. */
export const defaultApiPath = '/api/auth'

/** The address of the API, without a final slash, from a service address as people write it. */
export const apiBaseAt = ({ origin, pathname }: Pick<URL, 'origin' | 'pathname'>): string =>
  origin + (pathname.replace(/\/+$/, '') || defaultApiPath)

/** The inverse of `apiBaseAt`: a service address as people write it and the command line accepts it. */
export function serviceAddress(base: string): string {
  const { origin, pathname } = new URL(base)
  return pathname === defaultApiPath ? origin : base
}
