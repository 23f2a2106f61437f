import { v7 as uuid } from 'uuid'
import { Failure } from '../../../shared/failure.ts'
import { type AccountLink, findIdentity, keepLinkTokens, linkAccount } from '../../db/identities.ts'
import type { Deps } from '../../deps.ts'
import type { Client } from '../../request/client.ts'
import { type MayLink, requireFresh, sameProvenAddress } from '../../request/way-in.ts'
import { linkNotice, type Proven } from './enter.ts'
import { RedirectRefusal } from './redirect-refusal.ts'

/** Who asked for a link, and in which session. */
export interface Linker {
  readonly user: { readonly id: string; readonly email: string; readonly emailVerified: boolean }
  readonly session: { readonly id: string }
  readonly isFresh: boolean
  /** Of the browser in which it is made, where that is not the session's own. */
  readonly claim?: Buffer
}

/** Links a proven identity to the user whose session began it. Returns nothing: it refuses, or it is done. */
export async function linkTo(deps: Deps, client: Client, linker: Linker, proven: Proven): Promise<void> {
  const { configured, identity, tokensOf } = proven
  const { user, session, claim } = linker
  const key = { providerId: configured.provider.id, accountId: identity.id }
  const found = await findIdentity(deps.sql, key, null)
  if (found && found.user.id !== user.id) throw new RedirectRefusal('account_already_linked_to_different_user')
  const link = { sessionId: session.id, key, claim, tokens: tokensOf(found?.account ?? uuid()) }
  const isKept = found
    ? await keepLinkTokens(deps.sql, user.id, link)
    : await addLink(deps, client, { ...link, mayLink: requireMayLink(deps, linker, proven) }, [linker, proven])
  if (!isKept) throw await lost(deps, key, user.id)
}

async function addLink(
  deps: Deps,
  client: Client,
  link: AccountLink & { readonly mayLink: MayLink },
  [{ user }, { configured }]: readonly [Linker, Proven],
): Promise<boolean> {
  const event = client.event('account-linked', { userId: user.id, provider: link.key.providerId })
  const notice = linkNotice(deps, user.email, configured)
  if (!(await linkAccount(deps.sql, { ...link, notice, event }))) return false
  deps.outbox.nudge()
  client.note(event)
  return true
}

/**
 * The provider vouches for the address, trusted or not. Where that is not the one that the user has proven here, a fresh
 * session has to say that it is the same person: fresh now, when the account is added, and not only when the link was begun.
 */
function requireMayLink({ config }: Deps, linker: Linker, { identity }: Proven): MayLink {
  const isAllowed = config.ALLOW_DIFFERENT_EMAILS || identity.email === linker.user.email
  if (!config.ACCOUNT_LINKING || !identity.emailVerified || !isAllowed) throw new Failure('ACCOUNT_LINK_FAILED')
  return sameProvenAddress(identity, linker.user) ?? requireFresh(linker)
}

/** Why it was not done: somebody else linked the same identity first, or the session ended. */
async function lost({ sql }: Deps, key: Parameters<typeof findIdentity>[1], userId: string): Promise<Error> {
  const found = await findIdentity(sql, key, null)
  return found && found.user.id !== userId
    ? new RedirectRefusal('account_already_linked_to_different_user')
    : new Failure('ACCOUNT_LINK_FAILED')
}
