import type { Input } from '../../shared/contract/call.ts'
import * as calls from '../../shared/contract/social.ts'
import { providerDisplayName } from '../../shared/providers.ts'
import type { Deps } from '../deps.ts'
import { accountInfo } from '../domain/social/account-info.ts'
import { listAccounts, unlinkAccount } from '../domain/social/accounts.ts'
import { linkSocial, signInSocial } from '../domain/social/begin-social-flow.ts'
import { finishSocialFlow } from '../domain/social/callback.ts'
import { oneTap } from '../domain/social/one-tap.ts'
import { getAccessToken, refreshToken } from '../domain/social/provider-tokens.ts'
import type { RedirectRefusal } from '../domain/social/redirect-refusal.ts'
import type { Edge } from '../http/edge.ts'
import { type Mount, Redirect } from '../http/mount.ts'
import type { Reply } from '../http/reply.ts'

type SocialRouteContext = Pick<Edge, 'cookies' | 'trust' | 'log'>

export const socialRoutes = (mount: Mount, deps: Deps, { cookies, trust, log }: SocialRouteContext) => {
  const bind = (reply: Reply, cookieHeader: string, state: string | null) => {
    if (state !== null) for (const line of cookies.bindState(cookieHeader, state)) reply.setCookie(line)
  }
  mount(calls, {
    signInSocial: async ({ client, cookieHeader, input, reply }) => {
      const { answer, state, issued } = await signInSocial(deps, client, input)
      bind(reply, cookieHeader, state)
      if (issued) reply.signIn(issued, input.provider)
      return answer
    },
    callbackSocial: async ({ client, cookieHeader, input, reply }) => {
      const { state } = input
      const isOwn = state !== undefined && cookies.hasState(cookieHeader, state)
      const landing = await finishSocialFlow(deps, client, input, { isOwn, isSafeTarget: trust.isSafeTarget })
      if (landing.issued) reply.signIn(landing.issued, input.id)
      // After an internal error the state may still exist, so another attempt can succeed.
      if (isOwn && landing.refusal?.code !== 'internal_server_error') reply.setCookie(cookies.clearState(state))
      if (landing.refusal) logRefusal(log, landing.refusal)
      return new Redirect(landing.location)
    },
    callbackSocialForm: ({ input }) => new Redirect(ownGetAddress(deps, input)),
    listProviders: () =>
      deps.providers.all().map(({ provider }) => ({ id: provider.id, name: providerDisplayName(provider.id) })),
    listAccounts: ({ caller }) => listAccounts(deps, caller),
    linkSocial: async ({ caller, client, cookieHeader, input, reply }) => {
      const { answer, state } = await linkSocial(deps, client, caller, input)
      bind(reply, cookieHeader, state)
      return answer
    },
    unlinkAccount: ({ caller, client, input }) => unlinkAccount(deps, client, caller, input),
    refreshToken: ({ caller, client, input }) => refreshToken(deps, client, caller, input),
    getAccessToken: ({ caller, client, input }) => getAccessToken(deps, client, caller, input),
    accountInfo: ({ caller, client, input }) => accountInfo(deps, client, caller, input),
    oneTap: async ({ client, input, reply }) => {
      const { answer, issued } = await oneTap(deps, client, input)
      reply.signIn(issued, 'google')
      return answer
    },
  })
}

/** Our own refusals are logged by their code. The stack says nothing more, but the cause may. */
const logRefusal = (log: Edge['log'], { code, cause }: RedirectRefusal) =>
  code === 'internal_server_error'
    ? log.error({ err: cause }, 'unexpected error')
    : log.warn({ code, err: cause }, 'social sign-in refused')

/**
 * A form posted from another site comes without our cookies (SameSite=Lax), so it is redirected to a GET, which has
 * them.
 */
function ownGetAddress({ config }: Deps, { id, ...fields }: Input<typeof calls.callbackSocialForm>): string {
  const given = Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
  const query = new URLSearchParams(given)
  return `${config.BASE_PATH}/callback/${encodeURIComponent(id)}?${query.toString()}`
}
