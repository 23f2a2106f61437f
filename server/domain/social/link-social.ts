import type { Input, Output } from '../../../shared/contract/call.ts'
import type { linkSocial as Call } from '../../../shared/contract/social.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { linkLimits } from '../limits.ts'
import { begin, getProvider } from './begin.ts'

/** Begins to link; the callback links only while this very session lives and comes along. */
export async function linkSocial(
  deps: Deps,
  client: Client,
  { user, session }: Caller,
  input: Input<typeof Call>,
): Promise<{ answer: Output<typeof Call>; state: string }> {
  const configured = getProvider(deps, input.provider)
  const purpose = { kind: 'link', userId: user.id, sessionId: session.id } as const
  const { url, state } = await begin(deps, configured, { ...input, purpose, limits: linkLimits(deps, client, user.id) })
  return { answer: { url, redirect: true }, state }
}
