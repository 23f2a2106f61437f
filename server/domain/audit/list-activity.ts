import type { listActivity as Call } from '../../../shared/contract/audit.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import { readTrail } from './read-trail.ts'

/** Not for an administrator who acts as the user: that takes a permission of its own. */
export async function listActivity(
  deps: Deps,
  { user, session }: Caller,
  asked: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  if (session.impersonatedBy !== null) throw new Failure('ACTIVITY_IMPERSONATED')
  return readTrail(deps, { kind: 'person', userId: user.id }, asked)
}
