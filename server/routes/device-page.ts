import * as calls from '../../shared/contract/device-page.ts'
import { Failure } from '../../shared/failure.ts'
import type { Deps } from '../deps.ts'
import { claimInBrowser, codeOfLink, openClaim } from '../domain/device/claim.ts'
import { decideInBrowser } from '../domain/device/decide.ts'
import { identifyByPassword, identifyBySession } from '../domain/device/identify.ts'
import { lifetime } from '../domain/device/start.ts'
import { isOwnSession } from '../domain/device/user-code.ts'
import type { Cookies } from '../http/cookies.ts'
import { type Mount, Redirect, type Reply } from '../http/mount.ts'
import { deviceSentences } from '../pages/device-texts.ts'
import type { Caller } from '../request/client.ts'

/** React is loaded for the first page that a browser asks for, never before. */
const pages = () => import('../pages/device.tsx')

/** What a browser came with. */
interface Browser {
  readonly caller: Caller | null
  readonly reply: Reply
  /** The secret of its claim. */
  readonly claim: string | null
}

interface Shown {
  readonly failure?: Failure
  readonly error?: string | undefined
  readonly email?: string
  /** To approve as somebody else than who is bound. */
  readonly isAnother?: boolean
}

export function devicePageRoutes(mount: Mount, deps: Deps, cookies: Cookies): void {
  const { config } = deps
  const requestPage = new Redirect(`${config.BASE_PATH}/page/device/request`)
  const claimOf = (header: string) => cookies.read(header, 'device_claim')
  const forget = (reply: Reply) => reply.setCookie(cookies.write('device_claim', '', 0))

  const showCodeForm = async (reply: Reply, typed: string, failure?: Failure) => {
    if (failure) reply.refuse(failure)
    return (await pages()).renderCodeForm(config, { typed, failure })
  }

  /** The claim's request as it is now; without one that waits, that it is over. */
  const showRequest = async ({ caller, claim, reply }: Browser, shown: Shown = {}) => {
    const request = await openClaim(deps, claim)
    if (request === null) {
      if (claim !== null) forget(reply)
      reply.refuse(new Failure('DEVICE_DECIDED'))
      return (await pages()).renderOver(config)
    }
    if (shown.failure) reply.refuse(shown.failure)
    const session = isOwnSession(caller) ? caller.user.email : null
    return (await pages()).renderRequest(config, { ...shown, request, session })
  }

  mount(calls, {
    askUserCode: ({ input, reply }) => showCodeForm(reply, codeOfLink(deps, input.user_code, input.local) ?? ''),
    claimDevice: async ({ caller, client, cookieHeader, input, reply }) => {
      const typed = input.user_code
      const kept = claimOf(cookieHeader)
      const failure = await failureOf(async () => {
        const claim = await claimInBrowser(deps, client, caller, { typed, kept })
        reply.setCookie(cookies.writeSigned('device_claim', claim, lifetime))
      })
      return failure ? showCodeForm(reply, typed, failure) : requestPage
    },
    showDevice: ({ caller, cookieHeader, input, reply }) =>
      showRequest(
        { caller, reply, claim: claimOf(cookieHeader) },
        { isAnother: input.another !== undefined, error: input.error },
      ),
    identifyByPassword: async ({ caller, client, cookieHeader, input, reply }) => {
      const claim = claimOf(cookieHeader)
      // Before the password is looked at: only a browser that was let in by a code may try any.
      if ((await openClaim(deps, claim)) === null || claim === null) return showRequest({ caller, claim, reply })
      const failure = await failureOf(() => identifyByPassword(deps, client, claim, input))
      return failure
        ? showRequest({ caller, claim, reply }, { failure, email: input.email, isAnother: true })
        : requestPage
    },
    identifyBySession: async ({ caller, cookieHeader, reply }) => {
      const claim = claimOf(cookieHeader)
      const failure = await failureOf(() => identifyBySession(deps, caller, claim ?? ''))
      return failure ? showRequest({ caller, claim, reply }, { failure, isAnother: true }) : requestPage
    },
    decideDevice: async ({ client, cookieHeader, input, reply }) => {
      const claim = claimOf(cookieHeader)
      const status = input.decision === 'approve' ? 'approved' : 'denied'
      try {
        const { leadTo } = await decideInBrowser(deps, client, claim ?? '', { status, userId: input.as ?? null })
        forget(reply)
        return (await pages()).renderDecided(config, { status, leadTo })
      } catch (error) {
        if (error instanceof Failure && error.failure === 'DEVICE_DECIDED') return requestPage
        throw error
      }
    },
  })
}

/** The failure where the page has a sentence for it; null when all went well. Other failures are thrown on. */
async function failureOf(work: () => Promise<void>): Promise<Failure | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof Failure && error.failure in deviceSentences) return error
    throw error
  }
}
