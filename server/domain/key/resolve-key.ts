import { Failure } from '../../../shared/failure.ts'
import { digestOf } from '../../crypto/token.ts'
import type { Sql } from '../../db/connect.ts'
import { type FoundKey, findKeyBySecret, recordKeyUse } from '../../db/key-look-up.ts'
import { retryRead } from '../../db/outage.ts'
import { inSharedTrip } from '../../db/shared-trips.ts'
import type { Deps } from '../../deps.ts'
import type { Client, ResolvedSession } from '../../request/client.ts'
import { isAddressAllowed } from './rights.ts'

/**
 * The user that a key acts as, in one statement. Null when the key has ended or the request comes from outside its
 * allowed addresses. Throws a failure when no active member is responsible for the key.
 */
export async function resolveKey(deps: Deps, token: string, client: Client): Promise<ResolvedSession | null> {
  const hash = digestOf(token)
  const find = (one: Sql) => findKeyBySecret(one, hash)
  // An invented key is looked up on its own, so that it cannot delay or fail the look-ups of real ones.
  const isProven = deps.provenSessions.has(token)
  const found = await (isProven ? inSharedTrip(deps.sql, find) : retryRead(() => find(deps.sql)))
  if (!found || !isAddressAllowed(found.ipRanges, client.address)) {
    deps.provenSessions.delete(token)
    if (found) noteRefusedKey(client, found)
    return null
  }
  deps.provenSessions.add(token, found.keyId)
  if (!found.isSponsored) throw new Failure('SPONSOR_GONE')
  if (found.isUseDue) noteUse(deps, found.keyId, client.address)
  return resolvedOf(found, client)
}

const noteRefusedKey = (client: Client, { user, organizationId, keyId }: FoundKey): void =>
  client.note('key-refused', { userId: user.id, organizationId, target: keyId })

/** Not awaited: a failure must not affect the request. */
function noteUse({ sql, log }: Deps, keyId: string, address: string): void {
  recordKeyUse(sql, keyId, address).catch((error: unknown) =>
    log.warn({ err: error, keyId }, 'failed to record the use of a key'),
  )
}

/** Like a session, except for the token: it holds a handle, because the caller already knows the key that they sent. */
const resolvedOf = (found: FoundKey, client: Client): ResolvedSession => {
  const { user, keyId, organizationId, scopes, rotatesItself, keyCreatedAt: createdAt } = found
  const session = {
    id: keyId,
    userId: user.id,
    token: keyId,
    expiresAt: found.keyExpiresAt,
    createdAt,
    updatedAt: createdAt,
    ipAddress: client.address,
    userAgent: null,
    label: null,
    activeOrganizationId: organizationId,
    activeTeamId: null,
    impersonatedBy: null,
    addressProven: false,
  }
  return {
    caller: {
      session,
      user,
      provenAddress: null,
      isFresh: false,
      key: { id: keyId, scopes, isKey: true, rotatesItself },
    },
    organization: null,
    remembered: false,
    remaining: found.remaining,
    isRenewed: false,
  }
}
