import type { impersonateUser as BeginCall, stopImpersonating as StopCall } from '../../../shared/contract/admin.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Target } from '../../db/admins.ts'
import { deleteImpersonation, insertImpersonation } from '../../db/impersonations.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client, IssuedSession, KeptSession, ResolvedSession } from '../../request/client.ts'
import { record } from '../audit/record.ts'
import { resolveSession } from '../session/resolve.ts'
import { prepareSession } from '../session/start.ts'
import { actOn, requirePerson } from './act.ts'
import { isPrivileged } from './permission.ts'

interface Begun {
  readonly answer: Output<typeof BeginCall>
  readonly issued: IssuedSession
}

/** A short session as somebody else, beside the administrator's own, with which it ends. */
export async function impersonateUser(
  deps: Deps,
  client: Client,
  caller: Caller,
  { userId }: Input<typeof BeginCall>,
): Promise<Begun> {
  const seconds = deps.config.IMPERSONATION_SESSION_DURATION
  const [prepared, { token }] = prepareSession(deps, client, false)
  const right = { permission: 'user:impersonate', failure: 'USER_IMPERSONATION_FORBIDDEN', userId } as const
  const { stored, user: actedAs } = await actOn(deps, caller, right, async (tx, user, actor) => {
    requireOrdinary(deps, user)
    const session = { ...prepared, lifetime: seconds, replaces: null }
    const stored = await insertImpersonation(tx, { session, userId, admin: caller.session })
    if (!stored) throw new Failure('UNAUTHORIZED')
    await record(tx, client, 'impersonation-started', { userId: actor.id, targetUserId: userId, seconds })
    return { user, stored }
  })
  return { answer: { session: { ...stored, token }, user: actedAs }, issued: { token, maxAge: null } }
}

/** Neither somebody with rights on the platform, oneself included, nor somebody who is kept out. */
function requireOrdinary({ config }: Deps, user: Target): void {
  requirePerson(user)
  if (isPrivileged(config, user)) throw new Failure('ADMIN_IMPERSONATION')
  if (user.isBanned) throw new Failure('BANNED_USER')
}

interface Stopped {
  readonly answer: Output<typeof StopCall>
  /** The administrator's own session; null: nobody is signed in any more. */
  readonly resumed: ResolvedSession | null
}

/** Ends the impersonation first: whatever happens then, nobody acts as the user any more. */
export async function stopImpersonating(
  deps: Deps,
  client: Client,
  { session, user }: Caller,
  kept: KeptSession | null,
): Promise<Stopped> {
  if (session.impersonatedBy === null) throw new Failure('NOT_IMPERSONATING')
  const about = { userId: session.impersonatedBy, targetUserId: user.id }
  const ended = await transaction(deps.sql, async (tx) => {
    const gone = await deleteImpersonation(tx, session.id)
    if (gone) await record(tx, client, 'impersonation-ended', about)
    return gone
  })
  if (!ended) throw new Failure('UNAUTHORIZED')
  deps.revocations.add([session.id])
  const isOwn = kept?.impersonationId === session.id
  // It is issued anew in any case, so signed by the newest secret.
  const options = { mayExtend: true, client: { isOutdated: true } }
  const resumed = isOwn ? await resolveSession(deps, kept.token, options) : null
  if (resumed?.caller.session.id !== ended.adminSessionId)
    return { answer: { session: null, user: null }, resumed: null }
  return { answer: resumed?.caller ?? { session: null, user: null }, resumed }
}
