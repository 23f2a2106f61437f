import type { Output } from '../../../shared/contract/call.ts'
import type { revokeSessions as Call } from '../../../shared/contract/session.ts'
import { deleteUserSessions } from '../../db/sessions.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request.ts'

/** Ends every session of the caller, the current one too. */
export const revokeSessions = (deps: Deps, { user }: Caller): Promise<Output<typeof Call>> =>
  endAll(deps, user.id, null)

/** Ends every session of the caller but the current one. */
export const revokeOtherSessions = (deps: Deps, { user, session }: Caller): Promise<Output<typeof Call>> =>
  endAll(deps, user.id, session.id)

async function endAll({ sql, revocations }: Deps, userId: string, except: string | null) {
  const ended = await deleteUserSessions(sql, userId, except)
  revocations.add(ended)
  return { status: true }
}
