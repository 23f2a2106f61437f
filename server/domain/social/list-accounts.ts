import type { Output } from '../../../shared/contract/call.ts'
import type { listAccounts as Call } from '../../../shared/contract/social.ts'
import { listUserAccounts } from '../../db/accounts.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'

export const scopesOf = (scope: string | null): string[] => (scope ?? '').split(',').filter(Boolean)

/** Password and providers; never a token. */
export async function listAccounts({ sql }: Deps, { user }: Caller): Promise<Output<typeof Call>> {
  const accounts = await listUserAccounts(sql, user.id)
  return accounts.map(({ scope, ...account }) => ({ ...account, scopes: scopesOf(scope) }))
}
