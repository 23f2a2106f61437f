import type { Input } from '../../shared/contract/call.ts'
import type { openVerification, submitVerification } from '../../shared/contract/page.ts'
import { Failure } from '../../shared/failure.ts'
import type { Deps } from '../deps.ts'
import { claimSignUp, removeSignUp, type SignUp, takeOver, viewSignUp } from '../domain/email/opened-link.ts'
import { wayNamesOf } from '../domain/social/way-names.ts'
import { Redirect } from '../http/mount.ts'
import type { Reply } from '../http/reply.ts'
import type { OpenedLink } from '../pages/opened-link.tsx'
import type { Client, ResolvedSession } from '../request/client.ts'

/** In the browser that signed up, and wherever there is nothing to ask, the link goes on by itself. */
export async function openLink(
  deps: Deps,
  client: Client,
  resolved: ResolvedSession | null,
  { token = '', callbackURL }: Input<typeof openVerification>,
): Promise<string | Redirect> {
  const signUp = await viewSignUp(deps, client, resolved, token)
  if (signUp) return pageOf(deps, signUp, { token, callbackURL })
  const query = new URLSearchParams({ token, ...(callbackURL ? { callbackURL } : {}) })
  return new Redirect(`${deps.config.BASE_PATH}/verify-email?${query.toString()}`)
}

type Submitted = Input<typeof submitVerification>

/** What the page's forms ask for; a refusal that the person can mend shows the page again. */
export async function submitLink(
  deps: Deps,
  client: Client,
  input: Submitted,
  reply: Reply,
): Promise<string | Redirect> {
  try {
    return new Redirect(await act(deps, client, input, reply))
  } catch (failure) {
    const signUp = failure instanceof Failure ? await viewSignUp(deps, client, null, input.token) : null
    if (!(failure instanceof Failure) || !signUp) throw failure
    reply.refuse(failure)
    return pageOf(deps, signUp, { token: input.token, callbackURL: input.callbackURL, failure })
  }
}

/** Does it; answers where the browser goes then. */
async function act(deps: Deps, client: Client, input: Submitted, reply: Reply): Promise<string> {
  const page = `${deps.config.BASE_PATH}/page`
  switch (input.action) {
    case 'claim':
      await claimSignUp(deps, client, input.token, input.password)
      return input.callbackURL || `${page}/verified`
    case 'take-over':
      reply.mark(await takeOver(deps, client, input.token, input.newPassword))
      return `${page}/password-changed`
    case 'remove':
      await removeSignUp(deps, client, input.token)
      return `${page}/sign-up-removed`
  }
}

async function pageOf(deps: Deps, { ways, ...signUp }: SignUp, opened: OpenedLink): Promise<string> {
  const { renderOpenedLink } = await import('../pages/opened-link.tsx')
  const providers = wayNamesOf(
    deps,
    ways.filter((id) => id !== 'credential'),
  )
  return renderOpenedLink(deps.config, { ...signUp, providers, hasPassword: ways.includes('credential') }, opened)
}
