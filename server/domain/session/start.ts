import { v7 as uuid } from 'uuid'
import { createSessionToken, digestOf } from '../../crypto/token.ts'
import type { NewSession } from '../../db/sessions.ts'
import type { Deps } from '../../deps.ts'
import { cutUserAgent } from '../../request/audit-event.ts'
import type { Client, IssuedSession } from '../../request/client.ts'

/** Life of a session that is not to be remembered, in seconds: a day, should the browser never be closed. */
const forgetfulLifetime = 86_400

export const storedUserAgent = ({ userAgent }: Client): string => cutUserAgent(userAgent)

/** A new session to be stored, and what its client is given: a fresh token, whatever token came along. */
export function prepareSession({ config, keys }: Deps, client: Client, remembered = true): [NewSession, IssuedSession] {
  const token = createSessionToken()
  const maxLifetime = Math.min(config.SESSION_EXPIRES_IN, config.SESSION_MAX_AGE)
  const lifetime = remembered ? maxLifetime : Math.min(forgetfulLifetime, maxLifetime)
  const session = {
    id: uuid(),
    tokenHash: digestOf(token),
    remembered,
    lifetime,
    ipAddress: client.address,
    userAgent: storedUserAgent(client),
    label: client.label,
    secretLabel: keys.cookie.label,
    replaces: client.token === null ? null : digestOf(client.token),
  }
  return [session, { token, maxAge: remembered ? lifetime : null }]
}
