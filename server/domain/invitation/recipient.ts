import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Config } from '../../config.ts'
import { type FoundInvitation, findInvitation } from '../../db/invitations.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import type { ProvenAddress } from '../../request/proven-address.ts'

/** A usable invitation to the address of the caller, who has proven it where the settings ask for that. */
export async function requireInvitation(
  { sql, config }: Deps,
  { user, provenAddress }: Caller,
  id: string,
  missing: FailureName,
): Promise<FoundInvitation> {
  const found = await findInvitation(sql, id)
  if (!found?.isUsable) throw new Failure(missing)
  if (found.email !== user.email) throw new Failure('NOT_THE_RECIPIENT')
  requireProvenAddress(config, provenAddress)
  return found
}

/** Invitations are for the owner of a mailbox: whoever has not proved it neither answers nor sees them, if the settings ask. */
function requireProvenAddress(
  { INVITATION_REQUIRES_VERIFIED_EMAIL }: Pick<Config, 'INVITATION_REQUIRES_VERIFIED_EMAIL'>,
  provenAddress: ProvenAddress | null,
): void {
  if (INVITATION_REQUIRES_VERIFIED_EMAIL && !provenAddress) throw new Failure('EMAIL_VERIFICATION_REQUIRED')
}
