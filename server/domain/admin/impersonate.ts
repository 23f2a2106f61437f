import type { impersonateUser as BeginCall, stopImpersonating as StopCall } from '../../../shared/contract/admin.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Target } from '../../db/admins.ts'
import { deleteImpersonation, insertImpersonation } from '../../db/impersonations.ts'
import { toldTransaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { requireAdmission, SessionProof } from '../../request/admission.ts'
import type { Caller, Client, IssuedSession, KeptSession, ResolvedSession } from '../../request/client.ts'
import { record } from '../audit/record.ts'
import { resolveSession } from '../session/resolve.ts'
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
  const lifetime = deps.config.IMPERSONATION_SESSION_DURATION
  const right = { permission: 'user:impersonate', failure: 'USER_IMPERSONATION_FORBIDDEN', userId } as const
  const room = client.requireRoom(null, 'impersonation-started')
  const { user, stored, issued } = await actOn(deps, caller, { ...right, room }, async (tx, target, actor) => {
    const proof = requireOrdinary(deps, target)
    const passed = requireAdmission(deps, client, proof, { remembered: false, lifetime })
    const session = await insertImpersonation(tx, { admitted: passed.admitted, userId, admin: caller.session })
    if (!session) throw new Failure('UNAUTHORIZED')
    await record(tx, client, 'impersonation-started', { userId: actor.id, targetUserId: userId, seconds: lifetime })
    return { user: target, stored: session, issued: passed.issued }
  })
  return { answer: { session: { ...stored, token: issued.token }, user }, issued }
}

/** Somebody as whom an administrator may act. */
class OrdinaryUser extends SessionProof {
  constructor({ id, isBanned, emailVerified }: Target) {
    super('impersonation', { id, isBanned, emailVerified })
  }
}

/** Nobody with rights on the platform, oneself included. */
function requireOrdinary({ config }: Deps, user: Target): OrdinaryUser {
  requirePerson(user)
  if (isPrivileged(config, user)) throw new Failure('ADMIN_IMPERSONATION')
  return new OrdinaryUser(user)
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
  const ended = await toldTransaction(deps.sql, client.requireRoom(null, 'impersonation-ended'), async (tx) => {
    const gone = await deleteImpersonation(tx, session.id)
    if (!gone) throw new Failure('UNAUTHORIZED')
    await record(tx, client, 'impersonation-ended', about)
    return gone
  })
  deps.revocations.add([session.id])
  const isOwn = kept?.impersonationId === session.id
  // It is issued anew in any case, so signed by the newest secret.
  const options = { mayExtend: true, client: { isOutdated: true } }
  const resumed = isOwn ? await resolveSession(deps, kept.token, options) : null
  if (resumed?.caller.session.id !== ended.adminSessionId)
    return { answer: { session: null, user: null }, resumed: null }
  return { answer: resumed?.caller ?? { session: null, user: null }, resumed }
}
