/**
 * Whether a URL's host name means this machine, by its spelling only: names are not resolved, and 0.0.0.0 does not
 * count. Numbers above 255 are excluded here, since the URL parser lets them pass in other schemes than http.
 */
export const isLoopback = (hostname: string): boolean =>
  /^(?:localhost|127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}|\[::1\])$/.test(hostname)
