import type { Input, Output } from '../../../shared/contract/call.ts'
import type { getAccessToken as Call } from '../../../shared/contract/social.ts'
import { Failure } from '../../../shared/failure.ts'
import { findTokens, type StoredTokens } from '../../db/accounts.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { chooseAccount, getConfigured, readTokens, refreshTokens } from './fresh-tokens.ts'
import { scopesOf } from './list-accounts.ts'
import { useUp } from './verify-identity.ts'

/** Seconds that a token should still last when it is handed out. */
const margin = 5

/** The stored token while it lasts, a new one otherwise. One without an end, and without a way to a new one, is taken as it is. */
export async function getAccessToken(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  input: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const choice = chooseAccount(deps, client, caller, input)
  const configured = getConfigured(deps, choice)
  const stored = await findTokens(deps.sql, choice)
  if (!stored) throw new Failure('ACCOUNT_NOT_FOUND')
  const canRefresh = configured.provider.refresh !== false && stored.refreshToken !== null
  if (isOver(stored) && !canRefresh) throw new Failure('ACCESS_TOKEN_NOT_VALID')
  const isDue = canRefresh && (stored.remaining === null || isOver(stored))
  const fresh = isDue
    ? await refreshTokens(deps, configured, { ...choice, id: stored.id }, 'ACCESS_TOKEN_NOT_VALID')
    : readTokens(deps, stored, 'ACCESS_TOKEN_NOT_VALID')
  await useUp(deps, configured, fresh.idToken)
  return {
    accessToken: fresh.accessToken,
    accessTokenExpiresAt: fresh.stored.accessTokenExpiresAt ?? undefined,
    scopes: scopesOf(fresh.stored.scope),
    idToken: fresh.idToken ?? undefined,
  }
}

const isOver = ({ remaining }: StoredTokens): boolean => remaining !== null && remaining < margin
