import type { Input } from '../../shared/contract/call.ts'
import type { openVerification, submitNewPassword, submitVerification } from '../../shared/contract/page.ts'
import * as calls from '../../shared/contract/page.ts'
import { Failure } from '../../shared/failure.ts'
import { inputProblem } from '../../shared/input-problem.ts'
import { knownLanguage } from '../../shared/languages.ts'
import type { Deps } from '../deps.ts'
import { claimSignUp, removeSignUp, type SignUp, takeOverSignUp, viewSignUp } from '../domain/email/sign-up-link.ts'
import { signInMethodNamesOf } from '../domain/mails.ts'
import { resetPassword } from '../domain/password/passwords.ts'
import { languageOfVisitor } from '../domain/session/language.ts'
import { type Mount, Redirect } from '../http/mount.ts'
import type { Reply } from '../http/reply.ts'
import { type Words, wordsFor } from '../languages/words.ts'
import { applicationPageOf, inLanguage, serviceBaseOf } from '../mail/links.ts'
import { isFormFailure, isOpenedFailure, type LandingName } from '../pages/landing-texts.ts'
import type { OpenedLink } from '../pages/opened-link.tsx'
import type { ResetForm } from '../pages/reset-password.tsx'
import type { Client, ResolvedSession } from '../request/client.ts'

interface PageRequest {
  readonly client: Client
  readonly input: { readonly lang?: string | undefined; readonly error?: string | undefined }
}

/** A person's own language, else that of the mail whose link they opened. */
const wordsOfPage = async (deps: Deps, { client, input }: PageRequest): Promise<Words> =>
  wordsFor(deps.config, client, (await languageOfVisitor(deps, client)) ?? input.lang)

/** React is loaded for the first page that a browser requests. */
async function landingPage(deps: Deps, request: PageRequest, name: LandingName): Promise<string> {
  const { renderLanding } = await import('../pages/landing.tsx')
  return renderLanding(serviceBaseOf(deps.config), await wordsOfPage(deps, request), name, request.input.error)
}

const over = async ({ config }: Deps, words: Words, name: LandingName): Promise<string> =>
  (await import('../pages/landing.tsx')).renderOver(serviceBaseOf(config), words, name)

const form = async (deps: Deps, request: PageRequest, state: Omit<ResetForm, 'lang'>): Promise<string> =>
  (await import('../pages/reset-password.tsx')).renderResetForm(deps.config, await wordsOfPage(deps, request), {
    ...state,
    lang: request.input.lang,
  })

export const pageRoutes = (mount: Mount, deps: Deps) =>
  mount(calls, {
    verified: (request) => landingPage(deps, request, 'verified'),
    emailChanged: (request) =>
      landingPage(deps, request, deps.config.REQUIRE_EMAIL_VERIFICATION ? 'emailAgreed' : 'emailChanged'),
    deleted: (request) => landingPage(deps, request, 'deleted'),
    invitation: async (request) =>
      (await import('../pages/invitation.tsx')).renderInvitation(
        deps.config,
        await wordsOfPage(deps, request),
        request.input.id,
      ),
    signUpRemoved: (request) => landingPage(deps, request, 'signUpRemoved'),
    openVerification: (request) => openLink(deps, request),
    submitVerification: (request) => submitLink(deps, request),
    passwordChanged: (request) => landingPage(deps, request, 'reset'),
    askNewPassword: (request) => {
      const { token, error } = request.input
      if (!deps.config.EMAIL_PASSWORD) throw new Failure('RESET_PASSWORD_OFF')
      return error === undefined ? form(deps, request, { token }) : landingPage(deps, request, 'reset')
    },
    submitNewPassword: async (request) => {
      const { client, input, reply } = request
      const { failure, mark = null } = await submit(deps, client, input)
      reply.mark(mark)
      if (!failure) return new Redirect(inLanguage(`${deps.config.BASE_PATH}/page/password-changed`, input.lang))
      reply.refuse(failure)
      if (failure.failure === 'RESET_TOKEN_INVALID') return over(deps, await wordsOfPage(deps, request), 'reset')
      return form(deps, request, { token: input.token, failure })
    },
  })

const passwordsDiffer = new Failure('INVALID_BODY', {
  details: [inputProblem(['newPasswordAgain'], 'the same as newPassword')],
})

/** The client's device mark, or the failure when the page has a sentence for it. Throws other failures. */
async function submit(deps: Deps, client: Client, input: Input<typeof submitNewPassword>) {
  const { newPassword, newPasswordAgain = newPassword, token } = input
  if (newPassword !== newPasswordAgain) return { failure: passwordsDiffer }
  try {
    return { failure: null, mark: (await resetPassword(deps, client, { newPassword, token })).mark }
  } catch (error) {
    if (error instanceof Failure && (isFormFailure(error.failure) || error.failure === 'RESET_TOKEN_INVALID'))
      return { failure: error }
    throw error
  }
}

type LinkQuery = Input<typeof openVerification>
type LinkSubmission = Input<typeof submitVerification>

interface LinkRequest {
  readonly client: Client
  readonly reply: Reply
}

/** In the browser that signed up, or when there is nothing to ask, the link takes effect at once. */
async function openLink(
  deps: Deps,
  { resolved, ...request }: LinkRequest & { readonly resolved: ResolvedSession | null; readonly input: LinkQuery },
): Promise<string | Redirect> {
  const { token = '', callbackURL } = request.input
  const signUp = await viewSignUp(deps, request.client, resolved, token)
  if (signUp) return pageOf(deps, request, signUp, { token, callbackURL })
  const query = new URLSearchParams({ token, ...(callbackURL ? { callbackURL } : {}) })
  return new Redirect(`${deps.config.BASE_PATH}/verify-email?${query.toString()}`)
}

/**
 * Handles the page's forms. A refusal that the page can explain shows it again, as long as there is something to ask.
 */
async function submitLink(
  deps: Deps,
  { client, input, reply }: LinkRequest & { readonly input: LinkSubmission },
): Promise<string | Redirect> {
  try {
    return await runAction(deps, client, input, reply)
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure
    const signUp = await viewSignUp(deps, client, null, input.token)
    if (signUp && !isExplained(failure, input.action)) throw failure
    reply.refuse(failure)
    if (!signUp) return over(deps, wordsFor(deps.config, client), landingOf[input.action])
    return pageOf(deps, { client }, signUp, { token: input.token, callbackURL: input.callbackURL, failure })
  }
}

/**
 * To an application a page leads, not the answer to the form: browsers hold each redirect that follows a form against
 * the policy of its page, and where the application leads on to is not known.
 */
async function leadOn({ config }: Deps, client: Client, target: string): Promise<string | Redirect> {
  const { href, origin, host, protocol } = new URL(target, config.BASE_URL)
  if (applicationPageOf(href, serviceBaseOf(config)) === undefined) return new Redirect(target)
  const { renderRedirect } = await import('../pages/device.tsx')
  return renderRedirect({ ...config, words: wordsFor(config, client) }, origin === 'null' ? protocol : host, href)
}

/** Whether the page has a sentence for it. Its sentence for an interruption is about a new password. */
const isExplained = ({ failure, retryAfter }: Failure, action: LinkSubmission['action']): boolean =>
  failure === 'SERVICE_UNAVAILABLE' && retryAfter === undefined
    ? action === 'take-over'
    : isFormFailure(failure) || isOpenedFailure(failure)

const landingOf = { claim: 'verified', 'take-over': 'reset', remove: 'signUpRemoved' } as const

/** Runs the action, and then leads on. */
async function runAction(deps: Deps, client: Client, input: LinkSubmission, reply: Reply): Promise<string | Redirect> {
  const page = `${deps.config.BASE_PATH}/page`
  switch (input.action) {
    case 'claim':
      await claimSignUp(deps, client, input.token, input.password)
      return leadOn(deps, client, input.callbackURL || `${page}/verified`)
    case 'take-over':
      reply.mark(await takeOverSignUp(deps, client, input.token, input.newPassword))
      return new Redirect(`${page}/password-changed`)
    case 'remove':
      await removeSignUp(deps, client, input.token)
      return new Redirect(`${page}/sign-up-removed`)
  }
}

async function pageOf(
  deps: Deps,
  { client }: Pick<LinkRequest, 'client'>,
  { ways, ...signUp }: SignUp,
  opened: OpenedLink,
): Promise<string> {
  const { renderOpenedLink } = await import('../pages/opened-link.tsx')
  const linked = ways.filter((id) => id !== 'credential')
  const shown = {
    ...signUp,
    providers: signInMethodNamesOf(linked),
    usableProviders: signInMethodNamesOf(linked.filter((id) => deps.providers.find(id) !== null)),
    hasPassword: deps.config.EMAIL_PASSWORD && ways.includes('credential'),
  }
  // The address is not proven, so whoever signed up may be a stranger to the reader.
  const words = wordsFor(deps.config, { language: client.language ?? knownLanguage(signUp.user.language) })
  return renderOpenedLink(deps.config, words, shown, opened)
}
