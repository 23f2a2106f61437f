import { listOutdatedTokens, resealTokens, type SealedAccount } from '../../db/accounts.ts'
import type { Deps } from '../../deps.ts'
import { openTokens, sealTokens } from './seal-tokens.ts'

/** Accounts that are read at once. */
const batch = 500

/**
 * Encrypts the tokens of providers with the newest secret, so that none needs an older one of SECRETS any more. False
 * when it was stopped before it had seen them all.
 */
export async function resealProviderTokens(deps: Deps, stopping: AbortSignal): Promise<boolean> {
  const { sql, keys } = deps
  for (let after = ''; ; ) {
    const found: readonly SealedAccount[] = await listOutdatedTokens(sql, keys.providerTokens.olderLabels, after, batch)
    for (const account of found) await resealAccount(deps, account)
    const last = found.at(-1)
    if (!last || found.length < batch) return true
    if (stopping.aborted) return false
    after = last.id
  }
}

async function resealAccount(deps: Deps, outdated: SealedAccount): Promise<void> {
  const { id, accessToken, refreshToken, idToken } = outdated
  if (!accessToken && !refreshToken && !idToken) return
  let anew: SealedAccount
  try {
    anew = sealTokens(deps, id, openTokens(deps, outdated))
  } catch (err) {
    deps.log.warn(
      { err, accountId: id },
      'a provider token cannot be decrypted: its owner has to link the account again',
    )
    return
  }
  await resealTokens(deps.sql, outdated, anew)
}
