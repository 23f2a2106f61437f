import type { Input } from '../../../shared/contract/call.ts'
import type { callbackSocial as Call } from '../../../shared/contract/social.ts'
import { Failure } from '../../../shared/failure.ts'
import { consumeState } from '../../db/states.ts'
import type { Deps } from '../../deps.ts'
import { serviceBaseOf } from '../../mail/links.ts'
import { isDenial } from '../../providers/denial.ts'
import type { ConfiguredProvider } from '../../providers/provider.ts'
import type { Caller, Client, IssuedSession } from '../../request/client.ts'
import { addErrorToTarget } from '../../request/error-target.ts'
import { findRequestOfBinding } from '../device/browser-binding.ts'
import { denyByProvider } from '../device/decide.ts'
import { linkForBinding } from '../device/link.ts'
import { isUnimpersonated } from '../device/user-code.ts'
import { resolveToken } from '../session/resolve.ts'
import { openFlow, redirectUriOf, type SocialFlow, stateIdentifier } from './begin-social-flow.ts'
import { linkIdentity } from './link-identity.ts'
import { providerRefusal, RedirectRefusal, toRedirectRefusal } from './redirect-refusal.ts'
import { signInWithIdentity } from './sign-in-with-identity.ts'
import { type VerifiedIdentity, verifyCode } from './verify-identity.ts'

type Callback = Input<typeof Call>

/** What only the HTTP layer knows about the browser. */
export interface CallbackBrowser {
  /** Whether the state began in this browser. */
  readonly isOwn: boolean
  readonly isSafeTarget: (text: string) => boolean
}

/** Where the browser goes and with which session, and a refusal for the log. */
export interface CallbackResult {
  readonly location: string
  readonly issued: IssuedSession | null
  readonly refusal: RedirectRefusal | null
}

/**
 * Handles a provider's callback. A person is watching, so every refusal leads to a page. Only a rate limit is thrown,
 * because a redirect cannot carry a time to wait.
 */
export async function finishSocialFlow(
  deps: Deps,
  client: Client,
  callback: Callback,
  browser: CallbackBrowser,
): Promise<CallbackResult> {
  const errorPage = `${serviceBaseOf(deps.config)}/error`
  let begun: SocialFlow | null = null
  try {
    begun = checkTargets(await consumeFlow(deps, callback, browser), browser)
    const { location, issued } = await complete(deps, client, callback, begun)
    return { location, issued, refusal: null }
  } catch (error) {
    if (error instanceof Failure && error.failure === 'TOO_MANY_REQUESTS') throw error
    const refusal = toRedirectRefusal(error, deps.config)
    // Bans and internal errors are ours to report, so they lead to our own error page instead of the application's.
    const isOurs = !isFromDevicePage(begun) && (refusal.code === 'banned' || refusal.code === 'internal_server_error')
    const target = isOurs ? errorPage : (begun?.errorCallbackURL ?? errorPage)
    return { location: addErrorToTarget(target, refusal), issued: null, refusal }
  }
}

/**
 * Consumes the state before any code is redeemed, and only in the browser that began it. A link with somebody else's
 * state would sign a victim in as the attacker, or use up the state (RFC 9700 4.7).
 */
async function consumeFlow(
  deps: Deps,
  { id, state, error, error_description: said }: Callback,
  { isOwn }: CallbackBrowser,
): Promise<SocialFlow> {
  if (!state) throw error ? providerRefusal(error, said) : new RedirectRefusal('state_not_found')
  if (deps.config.STATE_COOKIE && !isOwn) throw new RedirectRefusal('please_restart_the_process')
  const identifier = stateIdentifier(state)
  const value = await consumeState(deps.sql, identifier)
  const begun = value === null ? null : openFlow(deps, identifier, value)
  // A state of one provider that another one brings back would give that one's code to the first (RFC 9700 4.4).
  if (!begun || begun.provider !== id) throw new RedirectRefusal('please_restart_the_process')
  // Required even with STATE_COOKIE off. Otherwise anybody who follows a stranger's link would answer the stranger's
  // request.
  if (isFromDevicePage(begun) && !isOwn) throw new RedirectRefusal('please_restart_the_process')
  return begun
}

/** Whether the flow began on our own device page, for another machine. */
const isFromDevicePage = (begun: SocialFlow | null): boolean =>
  begun?.purpose.kind === 'device' || begun?.purpose.kind === 'device-link'

/** Redirect targets are checked again: they were safe up to ten minutes ago. */
function checkTargets(begun: SocialFlow, { isSafeTarget }: CallbackBrowser): SocialFlow {
  const safe = (target: string | undefined) => (target !== undefined && isSafeTarget(target) ? target : undefined)
  return {
    ...begun,
    callbackURL: safe(begun.callbackURL),
    errorCallbackURL: safe(begun.errorCallbackURL),
    newUserCallbackURL: safe(begun.newUserCallbackURL),
  }
}

/**
 * When the provider denies a link, the waiting terminal is told at once, because nobody decides on our page then. Any
 * other error is no decision.
 */
async function endLinkIfDenied(deps: Deps, client: Client, error: string, { purpose }: SocialFlow): Promise<void> {
  if (isDenial(error) && purpose.kind === 'device-link') await denyByProvider(deps, client, claimOf(purpose))
}

async function complete(
  deps: Deps,
  client: Client,
  callback: Callback,
  begun: SocialFlow,
): Promise<Omit<CallbackResult, 'refusal'>> {
  if (callback.error) {
    await endLinkIfDenied(deps, client, callback.error, begun)
    throw providerRefusal(callback.error, callback.error_description)
  }
  const answer = providerCodeOf(deps, callback)
  const { callbackURL: location } = begun
  if (location === undefined) throw new RedirectRefusal('no_callback_url')
  if (begun.purpose.kind === 'sign-in') return signInAndLead(deps, client, answer, { ...begun, callbackURL: location })
  await finishFor(deps, client, begun.purpose, () => verifyProviderCode(deps, client, answer, begun))
  return { location, issued: null }
}

async function signInAndLead(
  deps: Deps,
  client: Client,
  answer: ProviderCode,
  begun: SocialFlow & { readonly callbackURL: string },
): Promise<Omit<CallbackResult, 'refusal'>> {
  const identity = await verifyProviderCode(deps, client, answer, begun)
  const requestSignUp = begun.purpose.kind === 'sign-in' && begun.purpose.requestSignUp
  const { issued, isNew } = await signInWithIdentity(deps, client, { identity, requestSignUp, claim: null })
  return { location: (isNew && begun.newUserCallbackURL) || begun.callbackURL, issued }
}

/**
 * Handles purposes that begin no session in this browser. The waiting request is checked before the code is redeemed.
 */
async function finishFor(
  deps: Deps,
  client: Client,
  purpose: Exclude<SocialFlow['purpose'], { kind: 'sign-in' }>,
  identify: () => Promise<VerifiedIdentity>,
): Promise<void> {
  switch (purpose.kind) {
    case 'link': {
      const linker = await linkerOf(deps, client, purpose)
      return linkIdentity(deps, client, linker, await identify())
    }
    case 'device-link':
      await checkClaim(deps, purpose)
      return linkForBinding(deps, client, claimOf(purpose), await identify())
    case 'device': {
      await checkClaim(deps, purpose)
      const signIn = { identity: await identify(), requestSignUp: false, claim: claimOf(purpose) }
      await signInWithIdentity(deps, client, signIn)
    }
  }
}

interface ProviderCode {
  readonly configured: ConfiguredProvider
  readonly callback: Callback & { readonly code: string }
}

function providerCodeOf({ providers }: Deps, callback: Callback): ProviderCode {
  if (!callback.code) throw new RedirectRefusal('no_code')
  const configured = providers.find(callback.id)
  if (!configured) throw new RedirectRefusal('oauth_provider_not_found')
  return { configured, callback: { ...callback, code: callback.code } }
}

async function verifyProviderCode(
  deps: Deps,
  client: Client,
  { configured, callback }: ProviderCode,
  { verifier, nonce, scopes }: SocialFlow,
): Promise<VerifiedIdentity> {
  const { code, state = '', iss, device_id, user } = callback
  const redirectUri = redirectUriOf(deps, configured.provider.id)
  const redemption = { code, state, iss, callback: { device_id, user }, redirectUri, verifier, nonce }
  const identity = await verifyCode(deps, client, configured, { redemption, scopes })
  if (!identity) throw new RedirectRefusal('email_not_found')
  return identity
}

const claimOf = ({ claim }: { claim: string }): Buffer => Buffer.from(claim, 'base64url')

/** The asking machine must still be waiting. */
async function checkClaim({ sql }: Deps, purpose: { claim: string }): Promise<void> {
  const open = await findRequestOfBinding(sql, claimOf(purpose))
  if (!open) throw new RedirectRefusal('please_restart_the_process')
}

/**
 * The session that asked for the link, and no other one of the same user. It has to be alive and sent with the request.
 */
async function linkerOf(deps: Deps, client: Client, { sessionId }: { sessionId: string }): Promise<Caller> {
  const { token } = client
  const resolved = token === null ? null : await resolveToken(deps, token, { mayExtend: false, client })
  const caller = resolved?.caller ?? null
  const isSame = isUnimpersonated(caller) && caller.session.id === sessionId
  if (!isSame) throw new Failure('ACCOUNT_LINK_FAILED')
  client.identify(caller)
  return caller
}
