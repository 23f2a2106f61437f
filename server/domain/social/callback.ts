import type { Input } from '../../../shared/contract/call.ts'
import type { callbackSocial as Call } from '../../../shared/contract/social.ts'
import { Failure } from '../../../shared/failure.ts'
import { takeState } from '../../db/states.ts'
import type { Deps } from '../../deps.ts'
import { subscriberOf } from '../../limits/ip-address.ts'
import { isDenial } from '../../providers/denial.ts'
import type { Grant } from '../../providers/flow.ts'
import type { ConfiguredProvider } from '../../providers/provider.ts'
import type { Caller, Client, IssuedSession } from '../../request/client.ts'
import { withError } from '../../request/error-target.ts'
import { findOpenClaim } from '../device/claim.ts'
import { denyByProvider } from '../device/decide.ts'
import { linkByClaim } from '../device/link.ts'
import { isOwnSession } from '../device/user-code.ts'
import { resolveToken } from '../session/resolve.ts'
import { redirectUriOf } from './begin.ts'
import { enterBy, type Proven } from './enter.ts'
import { linkTo } from './link.ts'
import { mapProfile } from './map-profile.ts'
import { RedirectRefusal, refusalOf, refusalOfProvider } from './redirect-refusal.ts'
import { keptFields, sealReply } from './seal-tokens.ts'
import { type Begun, openBegun, stateIdentifier } from './state.ts'

type Callback = Input<typeof Call>

/** What only the edge knows of the browser. */
export interface Browser {
  /** Whether the state was begun in this browser. */
  readonly isOwn: boolean
  readonly isSafeTarget: (text: string) => boolean
}

/** Where the browser goes, with which session; the refusal for the log. */
export interface Landing {
  readonly location: string
  readonly issued: IssuedSession | null
  readonly refusal: RedirectRefusal | null
}

/** Ends what was begun with a provider. A person looks on: every refusal is a page to go to, never an answer in JSON. */
export async function finishSocial(deps: Deps, client: Client, callback: Callback, browser: Browser): Promise<Landing> {
  const errorPage = `${deps.config.BASE_URL.origin}${deps.config.BASE_PATH}/error`
  let begun: Begun | null = null
  try {
    begun = checkTargets(await takeBegun(deps, callback, browser), browser)
    const { location, issued } = await complete(deps, client, callback, begun)
    return { location, issued, refusal: null }
  } catch (error) {
    const refusal = refusalOf(error)
    // Whom we banned is told by us; what failed on our side says nothing about their page.
    const isOurs = !isOfPage(begun) && (refusal.code === 'banned' || refusal.code === 'internal_server_error')
    const target = isOurs ? errorPage : (begun?.errorCallbackURL ?? errorPage)
    return { location: withError(target, refusal), issued: null, refusal }
  }
}

/**
 * Consumes the state, before any code is redeemed. Only in the browser that began it: a link with somebody else's state would
 * sign a victim in as the attacker, or use the state up (RFC 9700 4.7).
 */
async function takeBegun(
  deps: Deps,
  { id, state, error, error_description: said }: Callback,
  { isOwn }: Browser,
): Promise<Begun> {
  if (!state) throw error ? refusalOfProvider(error, said) : new RedirectRefusal('state_not_found')
  if (deps.config.STATE_COOKIE && !isOwn) throw new RedirectRefusal('please_restart_the_process')
  const identifier = stateIdentifier(state)
  const value = await takeState(deps.sql, identifier)
  const begun = value === null ? null : openBegun(deps, identifier, value)
  // A state of one provider, brought back by another, would hand that one's code to the first (RFC 9700 4.4).
  if (!begun || begun.provider !== id) throw new RedirectRefusal('please_restart_the_process')
  // Whatever the settings say: else a stranger's claim would be answered by whoever follows the stranger's link.
  if (isOfPage(begun) && !isOwn) throw new RedirectRefusal('please_restart_the_process')
  return begun
}

/** Begun on our own page, for another machine. */
const isOfPage = (begun: Begun | null): boolean =>
  begun?.purpose.kind === 'device' || begun?.purpose.kind === 'device-link'

/** What was safe ten minutes ago is looked at once more. */
function checkTargets(begun: Begun, { isSafeTarget }: Browser): Begun {
  const safe = (target: string | undefined) => (target !== undefined && isSafeTarget(target) ? target : undefined)
  return {
    ...begun,
    callbackURL: safe(begun.callbackURL),
    errorCallbackURL: safe(begun.errorCallbackURL),
    newUserCallbackURL: safe(begun.newUserCallbackURL),
  }
}

/**
 * Whoever waits for a link at a terminal gets to know at once that it was denied: nobody decides on a page of ours then. Any
 * other error is no decision.
 */
async function endLinkIfDenied(deps: Deps, client: Client, error: string, { purpose }: Begun): Promise<void> {
  if (isDenial(error) && purpose.kind === 'device-link') await denyByProvider(deps, client, claimOf(purpose))
}

async function complete(deps: Deps, client: Client, callback: Callback, begun: Begun) {
  if (callback.error) {
    await endLinkIfDenied(deps, client, callback.error, begun)
    throw refusalOfProvider(callback.error, callback.error_description)
  }
  if (!callback.code) throw new RedirectRefusal('no_code')
  const configured = deps.providers.find(callback.id)
  if (!configured) throw new RedirectRefusal('oauth_provider_not_found')
  const { callbackURL, purpose } = begun
  if (callbackURL === undefined) throw new RedirectRefusal('no_callback_url')
  const caller = purpose.kind === 'link' ? await linkerOf(deps, client, purpose) : null
  if ('claim' in purpose) await checkClaim(deps, purpose)
  const proven = await prove({ deps, client }, configured, { ...callback, code: callback.code }, begun)
  if (purpose.kind === 'device-link') await linkByClaim(deps, client, claimOf(purpose), proven)
  else if (caller) await linkTo(deps, client, caller, proven)
  else return enterAndLead(deps, client, proven, { ...begun, callbackURL })
  return { location: callbackURL, issued: null }
}

async function enterAndLead(
  deps: Deps,
  client: Client,
  proven: Proven,
  { callbackURL, newUserCallbackURL }: Begun & { readonly callbackURL: string },
) {
  const { issued, isNew } = await enterBy(deps, client, proven)
  return { location: (isNew && newUserCallbackURL) || callbackURL, issued: proven.claim ? null : issued }
}

const claimOf = ({ claim }: { claim: string }): Buffer => Buffer.from(claim, 'base64url')

/** What another machine asked for: it has to wait still. */
async function checkClaim({ sql }: Deps, purpose: { claim: string }): Promise<void> {
  const open = await findOpenClaim(sql, claimOf(purpose))
  if (!open) throw new RedirectRefusal('please_restart_the_process')
}

/** The session that asked for the link, and no other of the same user: it has to live, and to come along. */
async function linkerOf(
  deps: Deps,
  client: Client,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<Caller> {
  const { token } = client
  const resolved = token === null ? null : await resolveToken(deps, token, { mayExtend: false, client })
  const caller = resolved?.caller ?? null
  const isSame = isOwnSession(caller) && caller.user.id === userId && caller.session.id === sessionId
  if (!isSame) throw new Failure('ACCOUNT_LINK_FAILED')
  client.identify(caller)
  return caller
}

/** No connection of the database is held while the provider is asked. */
async function prove(
  { deps, client }: { readonly deps: Deps; readonly client: Client },
  configured: ConfiguredProvider,
  callback: Callback & { readonly code: string },
  { verifier, nonce, scopes, purpose }: Begun,
): Promise<Proven> {
  const { code, state = '', iss, device_id, user } = callback
  const redirectUri = redirectUriOf(deps, configured.provider.id)
  const fields = { device_id, user }
  const redemption = { code, state, iss, callback: fields, redirectUri, verifier, nonce }
  const grant: Grant = await deps.providers.redeem(configured, redemption, subscriberOf(client.address))
  const identity = await mapProfile(deps, configured, grant.identity)
  const { email } = identity
  if (email === null) throw new RedirectRefusal('email_not_found')
  return {
    configured,
    identity: { ...identity, email },
    requestSignUp: purpose.kind === 'sign-in' && purpose.requestSignUp,
    isLedBack: true,
    claim: purpose.kind === 'device' ? claimOf(purpose) : null,
    tokensOf: (id) => ({
      ...sealReply(deps, id, grant.tokens, scopes),
      callbackFields: keptFields(configured.provider, fields),
    }),
  }
}
