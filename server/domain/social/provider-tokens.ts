import { setTimeout as sleep } from 'node:timers/promises'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type * as calls from '../../../shared/contract/social.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { providerIds } from '../../../shared/providers.ts'
import {
  type AccountSelector,
  claimRefresh,
  findTokens,
  releaseRefresh,
  type StoredTokens,
  storeRefreshedTokens,
} from '../../db/accounts.ts'
import { inOneTrip, type Sql } from '../../db/connect.ts'
import { writeThroughOutage } from '../../db/outage.ts'
import { recordSingleUse } from '../../db/states.ts'
import type { Deps } from '../../deps.ts'
import { type ConfiguredProvider, ProviderError } from '../../providers/provider.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requireAccountKey, scopesOf } from './accounts.ts'
import { openTokens, sealReply } from './seal-tokens.ts'
import { markTokensUsed, useOfToken } from './verify-identity.ts'

interface AccountTokenInput {
  readonly providerId?: string | undefined
  readonly accountId?: string | undefined
  readonly userId?: string | undefined
}

/**
 * Seconds that one request may refresh alone: longer than a call to a provider may take, and storing what it gave through
 * an outage. Afterwards another request may try.
 */
const lease = 45
/** Milliseconds between two looks while another request refreshes; they grow. */
const firstDelay = 50
const longestDelay = 500
/** Milliseconds of these in all: as long as a call to a provider may take. */
const longestWait = 12_000

/** Whose account is meant. Only trusted servers may name another user. */
export function accountOwner(client: Client, caller: Caller | null, asked: AccountTokenInput): string {
  if (!caller && !client.isServer) throw new Failure('UNAUTHORIZED')
  const userId = caller?.user.id ?? asked.userId
  if (userId === undefined) throw new Failure('USER_OR_SESSION_REQUIRED')
  return userId
}

interface AccountChoice extends AccountSelector {
  readonly providerId: string
}

async function chooseAccount(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  asked: AccountTokenInput,
): Promise<AccountChoice> {
  const userId = accountOwner(client, caller, asked)
  const providerId = asked.providerId ?? (await requireAccountKey(deps, userId, asked.accountId)).providerId
  const isKnown = (providerIds as readonly string[]).includes(providerId) || deps.providers.find(providerId) !== null
  if (!isKnown) throw new Failure('PROVIDER_NOT_SUPPORTED', { field: providerId })
  return { userId, providerId, id: asked.accountId ?? null }
}

async function requireTokens({ sql }: Deps, choice: AccountChoice): Promise<StoredTokens> {
  const stored = await findTokens(sql, choice)
  if (!stored) throw new Failure('ACCOUNT_NOT_FOUND')
  return stored
}

function requireConfiguredProvider({ providers }: Deps, { providerId }: AccountChoice): ConfiguredProvider {
  const configured = providers.find(providerId)
  if (!configured) throw new Failure('PROVIDER_NOT_CONFIGURED', { field: providerId })
  return configured
}

async function requireRefreshingProvider(deps: Deps, choice: AccountChoice): Promise<ConfiguredProvider> {
  const { providerId } = choice
  const configured = deps.providers.find(providerId)
  if (configured && configured.provider.refresh !== false) return configured
  // Without the account it would mislead to say what its provider lacks.
  await requireTokens(deps, choice)
  throw new Failure(configured ? 'PROVIDER_WITHOUT_REFRESH' : 'PROVIDER_NOT_CONFIGURED', { field: providerId })
}

interface FreshTokens {
  readonly stored: StoredTokens
  readonly accessToken: string
  readonly refreshToken: string | null
  readonly idToken: string | null
}

/** The decrypted tokens of a row. Throws `failure` when they cannot be read. */
function readTokens(deps: Deps, stored: StoredTokens, failure: FailureName): FreshTokens {
  try {
    const { accessToken, ...others } = openTokens(deps, stored)
    if (accessToken !== null) return { stored, accessToken, ...others }
  } catch (cause) {
    throw new Failure(failure, { cause })
  }
  throw new Failure(failure)
}

/**
 * Gets new tokens for an account. Only one request at a time asks the provider, who may accept a refresh token only
 * once. Concurrent requests wait without a database connection and get the same new tokens.
 */
async function refreshTokens(
  deps: Deps,
  configured: ConfiguredProvider,
  choice: AccountSelector,
  failure: FailureName,
): Promise<FreshTokens> {
  const target = await claimRefresh(deps.sql, choice, lease)
  if (!target) throw new Failure('ACCOUNT_NOT_FOUND')
  if (target.refreshToken === null) throw new Failure(failure)
  const one = { ...choice, id: target.id }
  const { stored, marked } = target.isClaimed
    ? await refreshAtProvider(deps, configured, { target, one }, failure)
    : { stored: await waitForOtherRefresh(deps, one, target.version, failure), marked: null }
  if (!stored) throw new Failure('ACCOUNT_NOT_FOUND')
  const fresh = readTokens(deps, stored, failure)
  if (fresh.idToken !== marked) await markTokensUsed(deps, configured, fresh)
  return fresh
}

interface RefreshedTokens {
  readonly stored: StoredTokens | null
  /** The id token whose use is recorded. Another one is stored when a sign-in was faster. */
  readonly marked: string | null
}

/**
 * Stores the new tokens, reads what is stored then, and records the use of the id token, all in one trip. Tokens that a
 * sign-in stored meanwhile are equally good.
 */
async function refreshAtProvider(
  deps: Deps,
  configured: ConfiguredProvider,
  { target, one }: { readonly target: StoredTokens; readonly one: AccountSelector },
  failure: FailureName,
): Promise<RefreshedTokens> {
  try {
    const { refreshToken, idToken } = openTokens(deps, target)
    const kept = { ...target.callbackFields, accountId: target.accountId, scopes: scopesOf(target.scope) }
    const tokens = await deps.providers.refresh(configured, refreshToken ?? '', kept, one.userId)
    const marked = tokens.idToken ?? idToken
    const use = useOfToken(configured, marked)
    const reply = sealReply(deps, target.id, tokens, null)
    const store = () =>
      inOneTrip(
        deps.sql,
        (sql) => storeRefreshedTokens(sql, reply, target.version),
        (sql) => findTokens(sql, one),
        ...(use ? [(sql: Sql) => recordSingleUse(sql, use)] : []),
      )
    // The provider may have taken the old refresh token, so the new one must not get lost. Stored twice, it is the same:
    // the version admits one.
    const [, stored] = await writeThroughOutage(store)
    return { stored, marked }
  } catch (error) {
    if (error instanceof Failure) throw error
    await releaseRefresh(deps.sql, target.id, target.version)
    if (!(error instanceof ProviderError)) deps.log.error({ err: error }, 'the tokens of an account cannot be read')
    throw new Failure(failure, { cause: error })
  }
}

async function waitForOtherRefresh(
  { sql }: Deps,
  one: AccountSelector,
  version: number,
  failure: FailureName,
): Promise<StoredTokens> {
  let waited = 0
  for (let pause = firstDelay; ; pause = Math.min(2 * pause, longestDelay)) {
    const seen = await findTokens(sql, one)
    if (seen && seen.version !== version) return seen
    if (!seen?.isRefreshing || waited > longestWait) throw new Failure(failure)
    await sleep(pause)
    waited += pause
  }
}

/** Seconds that a token should still be valid when it is handed out. */
const margin = 5

/**
 * The stored token while it is valid, otherwise a new one. A token without an expiry and without a refresh token is
 * returned unchanged.
 */
export async function getAccessToken(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  input: Input<typeof calls.getAccessToken>,
): Promise<Output<typeof calls.getAccessToken>> {
  const choice = await chooseAccount(deps, client, caller, input)
  const stored = await requireTokens(deps, choice)
  const configured = requireConfiguredProvider(deps, choice)
  const fresh = await validTokens(deps, configured, choice.userId, stored)
  // A refresh has recorded it already.
  if (fresh.stored === stored) await markTokensUsed(deps, configured, fresh)
  return answerOf(fresh)
}

const answerOf = ({ accessToken, idToken, stored }: FreshTokens) => ({
  accessToken,
  accessTokenExpiresAt: stored.accessTokenExpiresAt ?? undefined,
  scopes: scopesOf(stored.scope),
  idToken: idToken ?? undefined,
})

/** The stored tokens while they are valid, otherwise new ones. */
export async function validTokens(
  deps: Deps,
  configured: ConfiguredProvider,
  userId: string,
  stored: StoredTokens,
): Promise<FreshTokens> {
  const canRefresh = configured.provider.refresh !== false && stored.refreshToken !== null
  if (isOver(stored) && !canRefresh) throw new Failure('ACCESS_TOKEN_NOT_VALID')
  const isDue = canRefresh && (stored.remaining === null || isOver(stored))
  if (!isDue) return readTokens(deps, stored, 'ACCESS_TOKEN_NOT_VALID')
  const { id, providerId } = stored
  return refreshTokens(deps, configured, { userId, providerId, id }, 'ACCESS_TOKEN_NOT_VALID')
}

const isOver = ({ remaining }: StoredTokens): boolean => remaining !== null && remaining < margin

export async function refreshToken(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  input: Input<typeof calls.refreshToken>,
): Promise<Output<typeof calls.refreshToken>> {
  const choice = await chooseAccount(deps, client, caller, input)
  const configured = await requireRefreshingProvider(deps, choice)
  const fresh = await refreshTokens(deps, configured, choice, 'ACCESS_TOKEN_NOT_REFRESHED')
  return { ...answerOf(fresh), tokenType: 'Bearer', refreshToken: fresh.refreshToken ?? undefined }
}
