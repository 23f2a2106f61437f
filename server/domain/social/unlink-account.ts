import type { Input, Output } from '../../../shared/contract/call.ts'
import type { unlinkAccount as Call } from '../../../shared/contract/social.ts'
import { Failure } from '../../../shared/failure.ts'
import { deleteAccount, lockUser } from '../../db/accounts.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'

/** Takes an account away, the password's too; the last one only where the settings allow it. */
export async function unlinkAccount(
  { sql, config }: Deps,
  client: Client,
  { user, isFresh }: Caller,
  { providerId, accountId }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  if (!isFresh) throw new Failure('SESSION_NOT_FRESH')
  const unlinking = { userId: user.id, providerId, accountId: accountId ?? null, mayBeLast: config.ALLOW_UNLINKING_ALL }
  const { outcome } = await transaction(sql, async (tx) => {
    await lockUser(tx, user.id)
    return deleteAccount(tx, unlinking)
  })
  if (outcome !== 'done') throw new Failure(outcome === 'last' ? 'LAST_ACCOUNT' : 'ACCOUNT_NOT_FOUND')
  client.note('account-unlinked', { userId: user.id, provider: providerId })
  return { status: true }
}
