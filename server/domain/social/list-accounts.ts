import type { Output } from '../../../shared/contract/call.ts'
import type { listAccounts as Call } from '../../../shared/contract/social.ts'
import { listUserAccounts, type StoredAccount } from '../../db/accounts.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'

export const scopesOf = (scope: string | null): string[] => (scope ?? '').split(',').filter(Boolean)

/** As its owner is shown it; never a token. */
export const shownAccount = ({ scope, ...account }: StoredAccount) => ({ ...account, scopes: scopesOf(scope) })

/** Password and providers. */
export async function listAccounts({ sql }: Deps, { user }: Caller): Promise<Output<typeof Call>> {
  const accounts = await listUserAccounts(sql, user.id)
  return accounts.map(shownAccount)
}
