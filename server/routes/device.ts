import * as calls from '../../shared/contract/device.ts'
import * as linkCalls from '../../shared/contract/device-link.ts'
import * as pageCalls from '../../shared/contract/device-page.ts'
import { redirectErrors } from '../../shared/errors.ts'
import { Failure } from '../../shared/failure.ts'
import { providerDisplayName } from '../../shared/providers.ts'
import { randomText } from '../crypto/token.ts'
import type { Deps } from '../deps.ts'
import {
  bindBrowser,
  findBoundRequest,
  isBoundRequestDenied,
  readPrefilledCode,
  viewDevice,
} from '../domain/device/browser-binding.ts'
import { decideBySession, decideInBrowser } from '../domain/device/decide.ts'
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
import type { OneTap } from '../pages/device-identify.tsx'
import { deviceSentences } from '../pages/device-texts.ts'
import { oneTapPolicy } from '../pages/one-tap.ts'
import { isKnownCode } from '../pages/sentence.ts'
import type { Caller } from '../request/client.ts'

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
    askUserCode: ({ input, reply }) => page.askCode(reply, readPrefilledCode(deps, input.user_code, input.local) ?? ''),
    claimDevice: ({ input, client, ...request }) =>
      page.claim(from(request), input.user_code, (asked) => bindBrowser(deps, client, request.caller, asked)),
    showDevice: ({ input, ...request }) =>
      page.show(from(request), { isAnother: input.another !== undefined, error: input.error }),
    identifyByPassword: ({ client, input, ...request }) =>
      page.identify(from(request), { email: input.email }, (claim) => identifyByPassword(deps, client, claim, input)),
    identifyBySession: (request) =>
      page.identify(from(request), {}, (claim) => identifyBySession(deps, request.caller, claim)),
    identifyByProvider: ({ client, input, ...request }) =>
      page.leadOn(from(request), input.provider, (claim) => identifyAtProvider(deps, client, claim, input.provider)),
    identifyByOneTap: ({ client, input, ...request }) =>
      page.identify(from(request), {}, (claim) => identifyByOneTap(deps, client, claim, input.idToken)),
    linkDevice: ({ client, input, ...request }) =>
      page.leadOn(from(request), input.provider, (claim) => beginDeviceLink(deps, client, claim, input.provider)),
    showLinked: (request) => page.showLinked(from(request)),
    decideDevice: ({ client, input, ...request }) =>
      page.decide(from(request), (claim) => {
        const status = input.decision === 'approve' ? 'approved' : 'denied'
        return decideInBrowser(deps, client, claim, { status, userId: input.as ?? null })
      }),
  })
}

interface BrowserRequest {
  readonly caller: Caller | null
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

  async askCode(reply: Reply, typed: string, failure?: Failure): Promise<string> {
    if (failure) reply.refuse(failure)
    return (await pages()).renderCodeForm(this.deps.config, { typed, failure })
  }

  async claim(
    { reply, claim: kept }: BrowserRequest,
    typed: string,
    claim: (asked: { typed: string; kept: string | null }) => Promise<string>,
  ): PageAnswer {
    const failure = await failureOf(async () => {
      reply.setCookie(this.cookies.writeSigned('device_claim', await claim({ typed, kept }), userCodeLifetime))
    })
    return failure ? this.askCode(reply, typed, failure) : this.requestPage
  }

  /** Shows the browser's request as it is now, or that it is over. */
  async show({ caller, claim, reply }: BrowserRequest, shown: PageState = {}): Promise<string> {
    const request = await findBoundRequest(this.deps, claim)
    if (request === null || claim === null) return this.showOver(reply, claim, shown)
    if (shown.failure) reply.refuse(shown.failure)
    const session = isUnimpersonated(caller) ? caller.user.email : null
    if (request.linkerId !== null)
      return (await linkPages()).renderLinkRequest(this.deps.config, { ...shown, request, session })
    const isAsked = request.userId === null || shown.isAnother === true
    const oneTap = isAsked ? this.offerOneTap(reply, claim) : null
    return (await pages()).renderRequest(this.deps.config, { ...shown, request, session, oneTap })
  }

  /** The browser returned from a provider that declined, or returned too late. */
  private async showOver(reply: Reply, claim: string | null, { error = '' }: PageState): Promise<string> {
    const isDenied = claim !== null && (await isBoundRequestDenied(this.deps, claim))
    if (claim !== null) this.forget(reply)
    if (isDenied) {
      const reason = isKnownCode(error) ? redirectErrors[error] : undefined
      return (await pages()).renderDecided(this.deps.config, { status: 'denied', leadTo: null, reason })
    }
    reply.refuse(new Failure('DEVICE_DECIDED'))
    return (await pages()).renderRequestOver(this.deps.config)
  }

  /** After the provider's callback the browser no longer needs its binding. */
  async showLinked({ claim, reply }: BrowserRequest): Promise<string> {
    if (claim !== null) this.forget(reply)
    return (await linkPages()).renderLinked(this.deps.config)
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
    return url === null ? answer : (await pages()).renderRedirect(this.deps.config, providerDisplayName(provider), url)
  }

  /**
   * After the decision the browser forgets its binding. When something changed meanwhile, the page shows it and nothing
   * is done.
   */
  async decide(browser: BrowserRequest, decide: (claim: string) => ReturnType<typeof decideInBrowser>): PageAnswer {
    try {
      const decided = await decide(browser.claim ?? '')
      this.forget(browser.reply)
      return (await pages()).renderDecided(this.deps.config, decided)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (error.failure === 'DEVICE_DECIDED') return this.requestPage
      if (error.failure === 'EMAIL_NOT_VERIFIED') return this.show(browser, { failure: error, isAnother: true })
      throw error
    }
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
    if (error instanceof Failure && error.failure in deviceSentences) return error
    throw error
  }
}
