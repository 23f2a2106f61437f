import * as calls from '../../shared/contract/device.ts'
import * as linkCalls from '../../shared/contract/device-link.ts'
import * as pageCalls from '../../shared/contract/device-page.ts'
import { isRedirectError } from '../../shared/errors.ts'
import { Failure } from '../../shared/failure.ts'
import { providerDisplayName } from '../../shared/providers.ts'
import { randomText } from '../crypto/token.ts'
import type { Deps } from '../deps.ts'
import { bindBrowser, findBoundRequest, readPrefilledCode, viewDevice } from '../domain/device/browser-binding.ts'
import { decideBySession, decideInBrowser, findDecision } from '../domain/device/decide.ts'
import {
  identifyAtProvider,
  identifyByOneTap,
  identifyByPassword,
  identifyBySession,
  oneTapNonce,
} from '../domain/device/identify.ts'
import { beginDeviceLink } from '../domain/device/link.ts'
import { pollDeviceLink, pollDeviceSignIn } from '../domain/device/poll.ts'
import { startDeviceLink, startDeviceSignIn, userCodeLifetime } from '../domain/device/start.ts'
import { isUnimpersonated } from '../domain/device/user-code.ts'
import type { Cookies } from '../http/cookies.ts'
import { type Mount, Redirect } from '../http/mount.ts'
import type { Reply } from '../http/reply.ts'
import { wordsFor } from '../languages/words.ts'
import type { OneTap } from '../pages/device-identify.tsx'
import { isDeviceFailure } from '../pages/device-texts.ts'
import { oneTapPolicy } from '../pages/one-tap.ts'
import type { Caller, Client } from '../request/client.ts'

export const deviceRoutes = (mount: Mount, deps: Deps) => {
  mount(calls, {
    startDevice: ({ client, input }) => startDeviceSignIn(deps, client, input),
    pollDevice: ({ client, input }) => pollDeviceSignIn(deps, client, input),
    viewDevice: ({ caller, client, input }) => viewDevice(deps, client, caller, input),
    approveDevice: ({ caller, client, input }) => decideBySession(deps, client, caller, [input, 'approved']),
    denyDevice: ({ caller, client, input }) => decideBySession(deps, client, caller, [input, 'denied']),
  })
  mount(linkCalls, {
    startDeviceLink: ({ caller, client, input }) => startDeviceLink(deps, client, caller, input),
    pollDeviceLink: ({ caller, input }) => pollDeviceLink(deps, caller, input),
  })
}

export function devicePageRoutes(mount: Mount, deps: Deps, cookies: Cookies): void {
  /** A browser's request, with the secret of its binding. */
  const from = (request: Omit<BrowserRequest, 'claim'>): BrowserRequest => ({
    ...request,
    claim: cookies.read(request.cookieHeader, 'device_claim'),
  })
  const page = new DevicePage(deps, cookies)
  mount(pageCalls, {
    askUserCode: ({ input, ...request }) =>
      page.askCode(from(request), readPrefilledCode(deps, input.user_code, input.local) ?? ''),
    claimDevice: ({ input, ...request }) =>
      page.claim(from(request), input.user_code, (kept) =>
        bindBrowser(deps, request.client, request.caller, { typed: input.user_code, form: input.form, kept }),
      ),
    showDevice: ({ input, ...request }) =>
      page.show(from(request), { isAnother: input.another !== undefined, error: input.error }),
    identifyByPassword: ({ input, ...request }) =>
      page.identify(from(request), { email: input.email }, (claim) =>
        identifyByPassword(deps, request.client, claim, input),
      ),
    identifyBySession: (request) =>
      page.identify(from(request), {}, (claim) => identifyBySession(deps, request.caller, claim)),
    identifyByProvider: ({ input, ...request }) =>
      page.leadOn(from(request), input.provider, (claim) =>
        identifyAtProvider(deps, request.client, claim, input.provider),
      ),
    identifyByOneTap: ({ input, ...request }) =>
      page.identify(from(request), {}, (claim) => identifyByOneTap(deps, request.client, claim, input.idToken)),
    linkDevice: ({ input, ...request }) =>
      page.leadOn(from(request), input.provider, (claim) =>
        beginDeviceLink(deps, request.client, claim, input.provider),
      ),
    showLinked: (request) => page.showLinked(from(request)),
    decideDevice: ({ input, ...request }) =>
      page.decide(from(request), (claim) => {
        const status = input.decision === 'approve' ? 'approved' : 'denied'
        const shown = { requestId: input.request ?? null, userId: input.as ?? null }
        return decideInBrowser(deps, request.client, claim, { status, ...shown })
      }),
  })
}

interface BrowserRequest {
  readonly caller: Caller | null
  readonly client: Client
  readonly reply: Reply
  readonly cookieHeader: string
  /** The secret of the browser's binding. */
  readonly claim: string | null
}

interface PageState {
  readonly failure?: Failure
  readonly error?: string | undefined
  readonly email?: string
  /** To approve as another user than the one bound. */
  readonly isAnother?: boolean
}

type PageAnswer = Promise<string | Redirect>

/** React is loaded for the first page that a browser requests. */
const pages = () => import('../pages/device.tsx')
const linkPages = () => import('../pages/device-link.tsx')

/** Decides which page a browser sees next, whatever the use case did. */
class DevicePage {
  private readonly deps: Deps
  private readonly cookies: Cookies
  private readonly requestPage: Redirect

  constructor(deps: Deps, cookies: Cookies) {
    this.deps = deps
    this.cookies = cookies
    this.requestPage = new Redirect(`${deps.config.BASE_PATH}/page/device/request`)
  }

  async askCode(browser: BrowserRequest, typed: string, failure?: Failure): Promise<string> {
    if (failure) browser.reply.refuse(failure)
    return (await pages()).renderCodeForm(this.settingsFor(browser), { typed, form: randomText(22), failure })
  }

  async claim(browser: BrowserRequest, typed: string, claim: (kept: string | null) => Promise<string>): PageAnswer {
    const { reply, claim: kept } = browser
    const failure = await failureOf(async () => {
      reply.setCookie(this.cookies.writeSigned('device_claim', await claim(kept), userCodeLifetime))
    })
    return failure ? this.askCode(browser, typed, failure) : this.requestPage
  }

  /** Shows the browser's request as it is now, or that it is over. */
  async show(browser: BrowserRequest, shown: PageState = {}): Promise<string> {
    const { caller, claim, reply } = browser
    const settings = this.settingsFor(browser)
    const request = await findBoundRequest(this.deps, claim)
    if (request === null || claim === null) return this.showOver(browser, shown)
    if (shown.failure) reply.refuse(shown.failure)
    const session = isUnimpersonated(caller) ? caller.user.email : null
    if (request.linkerId !== null)
      return (await linkPages()).renderLinkRequest(settings, { ...shown, request, session })
    const isAsked = request.userId === null || shown.isAnother === true
    const oneTap = isAsked ? this.offerOneTap(reply, claim) : null
    return (await pages()).renderRequest(settings, { ...shown, request, session, oneTap })
  }

  /** The browser returned from a provider that declined, sent its decision twice, or comes too late. */
  private async showOver(browser: BrowserRequest, { error = '' }: PageState): Promise<string> {
    const { reply, claim } = browser
    const settings = this.settingsFor(browser)
    const decision = claim === null ? null : await findDecision(this.deps, claim)
    if (claim !== null) this.forget(reply)
    if (decision) {
      const reason = decision.status === 'denied' && isRedirectError(error) ? settings.words.redirect[error] : undefined
      return (await pages()).renderDecided(settings, { ...decision, reason })
    }
    reply.refuse(new Failure('DEVICE_DECIDED'))
    return (await pages()).renderRequestOver(settings)
  }

  /** After the provider's callback the browser no longer needs its binding. */
  async showLinked(browser: BrowserRequest): Promise<string> {
    if (browser.claim !== null) this.forget(browser.reply)
    return (await linkPages()).renderLinked(this.settingsFor(browser))
  }

  /** Only a browser that entered a code may identify the user, so its binding is checked first. */
  async identify(browser: BrowserRequest, typed: PageState, identify: (claim: string) => Promise<void>): PageAnswer {
    const { claim } = browser
    if (claim === null || (await findBoundRequest(this.deps, claim)) === null) return this.show(browser)
    const failure = await failureOf(() => identify(claim))
    return failure ? this.show(browser, { ...typed, failure, isAnother: true }) : this.requestPage
  }

  async leadOn(
    browser: BrowserRequest,
    provider: string,
    begin: (claim: string) => Promise<{ readonly url: string; readonly state: string }>,
  ): PageAnswer {
    let url: string | null = null
    const answer = await this.identify(browser, {}, async (claim) => {
      const begun = await begin(claim)
      for (const line of this.cookies.bindState(browser.cookieHeader, begun.state)) browser.reply.setCookie(line)
      url = begun.url
    })
    if (url === null) return answer
    return (await pages()).renderRedirect(this.settingsFor(browser), providerDisplayName(provider), url)
  }

  /**
   * After the decision the browser forgets its binding. When something changed meanwhile, the page shows it and nothing
   * is done.
   */
  async decide(browser: BrowserRequest, decide: (claim: string) => ReturnType<typeof decideInBrowser>): PageAnswer {
    try {
      const decided = await decide(browser.claim ?? '')
      this.forget(browser.reply)
      return (await pages()).renderDecided(this.settingsFor(browser), decided)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (error.failure === 'DEVICE_DECIDED') return this.requestPage
      if (error.failure === 'EMAIL_NOT_VERIFIED') return this.show(browser, { failure: error, isAnother: true })
      throw error
    }
  }

  private settingsFor({ client, caller }: BrowserRequest) {
    const { config } = this.deps
    return { ...config, words: wordsFor(config, client, isUnimpersonated(caller) ? caller.user.language : null) }
  }

  private forget(reply: Reply): void {
    reply.setCookie(this.cookies.write('device_claim', '', 0))
  }

  /** Allows Google's script when Google is a provider. No other page runs a script. */
  private offerOneTap(reply: Reply, claim: string): OneTap | null {
    const google = this.deps.providers.find('google')
    if (!google) return null
    const scriptNonce = randomText(22)
    reply.allow(oneTapPolicy(scriptNonce))
    return { clientId: google.registration.clientId, tokenNonce: oneTapNonce(claim), scriptNonce }
  }
}

/** The failure, when the page has a sentence for it. Null on success. Throws other failures. */
async function failureOf(work: () => Promise<void>): Promise<Failure | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof Failure && isDeviceFailure(error.failure)) return error
    throw error
  }
}
