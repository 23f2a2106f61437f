import type { Input, Output } from '../../../shared/contract/call.ts'
import type { refreshToken as Call } from '../../../shared/contract/social.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { chooseAccount, getConfigured, refreshTokens } from './fresh-tokens.ts'
import { scopesOf } from './list-accounts.ts'
import { useUp } from './verify-identity.ts'

export async function refreshToken(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  input: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const choice = chooseAccount(deps, client, caller, input)
  const configured = getConfigured(deps, choice)
  if (configured.provider.refresh === false) throw new Failure('PROVIDER_WITHOUT_REFRESH', { field: choice.providerId })
  const fresh = await refreshTokens(deps, configured, choice, 'ACCESS_TOKEN_NOT_REFRESHED')
  await useUp(deps, configured, fresh.idToken)
  return {
    accessToken: fresh.accessToken,
    tokenType: 'Bearer',
    refreshToken: fresh.refreshToken ?? undefined,
    scopes: scopesOf(fresh.stored.scope),
    idToken: fresh.idToken ?? undefined,
    accessTokenExpiresAt: fresh.stored.accessTokenExpiresAt ?? undefined,
  }
}
