/** Where the API is below an address that names no path. */
export const usualPath = '/api/auth'

/** The address of the API, without a slash at the end, for a service as people write it down. */
export const baseAt = ({ origin, pathname }: Pick<URL, 'origin' | 'pathname'>): string =>
  origin + (pathname.replace(/\/+$/, '') || usualPath)

/** A service as people write it down, and as the command line takes it: `baseAt` the other way round. */
export function serviceAddress(base: string): string {
  const { origin, pathname } = new URL(base)
  return pathname === usualPath ? origin : base
}
