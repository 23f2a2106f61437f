/** The API's path when the address has none. */
export const usualPath = '/api/auth'

/** The address of the API, without a final slash, from a service address as people write it. */
export const baseAt = ({ origin, pathname }: Pick<URL, 'origin' | 'pathname'>): string =>
  origin + (pathname.replace(/\/+$/, '') || usualPath)

/** The inverse of `apiBaseAt`: a service address as people write it and the command line accepts it. */
export function serviceAddress(base: string): string {
  const { origin, pathname } = new URL(base)
  return pathname === usualPath ? origin : base
}
