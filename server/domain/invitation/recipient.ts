import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { type FoundInvitation, findInvitation } from '../../db/invitations.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'

/** A usable invitation to the address of the caller, who has proven it where the settings ask for that. */
export async function requireInvitation(
  { sql, config }: Deps,
  { user }: Caller,
  id: string,
  missing: FailureName,
): Promise<FoundInvitation> {
  const found = await findInvitation(sql, id)
  if (!found?.isUsable) throw new Failure(missing)
  if (found.email !== user.email) throw new Failure('NOT_THE_RECIPIENT')
  if (config.INVITATION_REQUIRES_VERIFIED_EMAIL && !user.emailVerified) throw new Failure('EMAIL_VERIFICATION_REQUIRED')
  return found
}
