/** A service's address without what goes without saying. */
export const shortServer = (server: string): string => server.replace(/^https?:\/\//, '').replace(/\/api\/auth\/?$/, '')
