import type { KeptSession } from '../request/client.ts'

/** Keeps an administrator's own session in their browser while they act as somebody else, good for that alone. */
export interface AdminCookie {
  readonly keepAdmin: (kept: KeptSession) => string
  readonly readAdmin: (header: string) => KeptSession | null
  /** The line that keeps it for so many seconds, signed anew; none unless an older secret signed it. */
  readonly renewAdmin: (header: string, remaining: number) => string[]
  /** The lines that remove it where a header has it. */
  readonly clearAdmin: (header: string) => string[]
}

const name = 'admin_session'
export type AdminCookieName = typeof name

/** How our cookies are read and written. */
interface Means {
  /** Seconds. */
  readonly life: number
  readonly values: (header: string, name: AdminCookieName) => readonly string[]
  readonly read: (header: string, name: AdminCookieName) => string | null
  readonly isOutdated: (name: AdminCookieName, text: string) => boolean
  readonly signed: (name: AdminCookieName, value: string) => string
  readonly write: (name: AdminCookieName, value: string, maxAge: number) => string
}

export const adminCookie = ({ life, values, read, isOutdated, signed, write }: Means): AdminCookie => ({
  keepAdmin: ({ token, impersonationId }) => write(name, signed(name, `${token}.${impersonationId}`), life),
  readAdmin(header) {
    const [token, impersonationId] = read(header, name)?.split('.') ?? []
    return token && impersonationId ? { token, impersonationId } : null
  },
  renewAdmin(header, remaining) {
    const value = values(header, name).some((text) => isOutdated(name, text)) ? read(header, name) : null
    return value === null ? [] : [write(name, signed(name, value), Math.min(life, remaining))]
  },
  clearAdmin: (header) => (values(header, name).length > 0 ? [write(name, '', 0)] : []),
})
