import type { updateUser as Call } from '../../../shared/contract/account.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { Failure } from '../../../shared/failure.ts'
import { updateProfile } from '../../db/users.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'

/** Changes name and image; the address has a call of its own. */
export async function updateUser(
  { sql }: Deps,
  { user }: Caller,
  input: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  if (input.email) throw new Failure('EMAIL_NOT_EDITABLE')
  if (input.name !== undefined || input.image !== undefined) await updateProfile(sql, user.id, input)
  return { status: true }
}
