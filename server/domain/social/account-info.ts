import type { Input, Output } from '../../../shared/contract/call.ts'
import type { accountInfo as Call } from '../../../shared/contract/social.ts'
import { Failure } from '../../../shared/failure.ts'
import { findTokens } from '../../db/accounts.ts'
import type { Deps } from '../../deps.ts'
import { ProviderError } from '../../providers/provider.ts'
import type { Caller, Client } from '../../request/client.ts'
import { accountOwner, validTokens } from './provider-tokens.ts'

/**
 * What the provider says about the user of an account, asked with its stored token. An answer about somebody else is
 * refused.
 */
export async function accountInfo(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  asked: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const { sql, providers } = deps
  const userId = accountOwner(client, caller, asked)
  const choice = { userId, providerId: asked.providerId ?? null, id: asked.accountId ?? null }
  const stored = await findTokens(sql, choice)
  if (!stored) throw new Failure('ACCOUNT_NOT_FOUND')
  const { id, providerId, accountId } = stored
  const configured = providers.find(providerId)
  if (!configured) throw new Failure('ACCOUNT_WITHOUT_PROVIDER')
  const tokens = await validTokens(deps, configured, userId, stored)
  const { identity: user, data } = await providers.profile(configured, tokens, userId).catch(refuseProfile)
  if (user.id !== accountId) throw new Failure('USER_INFO_NOT_READ')
  return { user, data, account: { id, providerId, accountId } }
}

function refuseProfile(error: unknown): never {
  throw error instanceof ProviderError ? new Failure('USER_INFO_NOT_READ', { cause: error }) : error
}
