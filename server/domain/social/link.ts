import { v7 as uuid } from 'uuid'
import { Failure } from '../../../shared/failure.ts'
import {
  type AccountLink,
  findIdentity,
  keepLinkTokens,
  linkAccount,
  type NewAccountLink,
} from '../../db/identities.ts'
import { tellWhenKept } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Client } from '../../request/client.ts'
import type { ProvenAddress } from '../../request/proven-address.ts'
import { ownsAddressOf, requireFresh } from '../../request/way-in.ts'
import { linkNotice, type Proven } from './enter.ts'
import { addressOf } from './owner-arrival.ts'
import { RedirectRefusal } from './redirect-refusal.ts'

/** Who asked for a link, and in which session. */
export interface Linker {
  readonly user: { readonly id: string; readonly email: string; readonly emailVerified: boolean }
  readonly session: { readonly id: string }
  readonly provenAddress: ProvenAddress | null
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
    : await addLink(deps, client, { ...link, ...requireMayLink(deps, linker, proven) }, [linker, proven])
  if (!isKept) throw await lost(deps, key, user.id)
}

async function addLink(
  deps: Deps,
  client: Client,
  link: AccountLink & LinkRight,
  [{ user }, { configured }]: readonly [Linker, Proven],
): Promise<boolean> {
  const notice = linkNotice(deps, user.email, configured)
  const isLinked = await tellWhenKept((act) => {
    const event = client.event(act, 'account-linked', { userId: user.id, provider: link.key.providerId })
    return linkAccount(deps.sql, { ...link, notice, event })
  })
  if (isLinked) deps.outbox.nudge()
  return isLinked
}

type LinkRight = Pick<NewAccountLink, 'mayLink' | 'owner'>

/**
 * The provider vouches for the address. Whoever so proves the user's own is its owner. Everybody else has to say in a fresh
 * session that it is the same person: fresh now, when the account is added, and not only when the link was begun. Beside a
 * way in whose holder never proved the mailbox nothing is linked once somebody did.
 */
function requireMayLink(deps: Deps, linker: Linker, proven: Proven): LinkRight {
  const { identity } = proven
  const isAllowed = deps.config.ALLOW_DIFFERENT_EMAILS || identity.email === linker.user.email
  if (!deps.config.ACCOUNT_LINKING || !identity.emailVerified || !isAllowed) throw new Failure('ACCOUNT_LINK_FAILED')
  const owner = addressOf(deps, proven)
  const mayLink = owner && ownsAddressOf(owner, linker.user)
  if (mayLink) return { mayLink, owner }
  if (linker.user.emailVerified && !linker.provenAddress) throw new RedirectRefusal('address_not_proven')
  return { mayLink: requireFresh(linker), owner: null }
}

/** Why it was not done: somebody else linked the same identity first, or the session ended. */
async function lost({ sql }: Deps, key: Parameters<typeof findIdentity>[1], userId: string): Promise<Error> {
  const found = await findIdentity(sql, key, null)
  return found && found.user.id !== userId
    ? new RedirectRefusal('account_already_linked_to_different_user')
    : new Failure('ACCOUNT_LINK_FAILED')
}
