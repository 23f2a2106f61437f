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
import { linkNotice } from './identity-effects.ts'
import { RedirectRefusal } from './redirect-refusal.ts'
import type { VerifiedIdentity } from './verify-identity.ts'

/** Who asked for a link, and in which session. */
export interface Linker {
  readonly user: { readonly id: string; readonly email: string; readonly emailVerified: boolean }
  readonly session: { readonly id: string }
  readonly provenAddress: ProvenAddress | null
  readonly isFresh: boolean
  /** Of the browser in which it is made, where that is not the session's own. */
  readonly claim?: Buffer
}

/** Links a verified identity to the user whose session began it. Returns nothing: it refuses, or it is done. */
export async function linkTo(deps: Deps, client: Client, linker: Linker, identity: VerifiedIdentity): Promise<void> {
  const { key } = identity
  const { user, session, claim } = linker
  const found = await findIdentity(deps.sql, key, null)
  if (found && found.user.id !== user.id) throw new RedirectRefusal('account_already_linked_to_different_user')
  const link = { sessionId: session.id, key, claim, tokens: identity.verification.tokensOf(found?.account ?? uuid()) }
  const isKept = found
    ? await keepLinkTokens(deps.sql, user.id, link)
    : await addLink(deps, client, { ...link, ...requireMayLink(deps, linker, identity) }, [linker, identity])
  if (!isKept) throw await lost(deps, key, user.id)
}

async function addLink(
  deps: Deps,
  client: Client,
  link: AccountLink & LinkRight,
  [{ user }, { configured }]: readonly [Linker, VerifiedIdentity],
): Promise<boolean> {
  const notice = linkNotice(deps, user.email, configured)
  const isLinked = await tellWhenKept((act) => {
    const event = client.event(act, 'account-linked', { userId: user.id, provider: link.key.providerId })
    return linkAccount(deps.sql, { ...link, notice, event })
  }, Boolean)
  if (isLinked) deps.outbox.nudge()
  return isLinked
}

type LinkRight = Pick<NewAccountLink, 'mayLink' | 'owner'>

/**
 * The provider vouches for the address. Whoever so proves the user's own is its owner. Everybody else has to say in a fresh
 * session that it is the same person: fresh now, when the account is added, and not only when the link was begun. Beside a
 * way in whose holder never proved the mailbox nothing is linked once somebody did.
 */
function requireMayLink(deps: Deps, linker: Linker, { identity, address: owner }: VerifiedIdentity): LinkRight {
  const isAllowed = deps.config.ALLOW_DIFFERENT_EMAILS || identity.email === linker.user.email
  if (!deps.config.ACCOUNT_LINKING || !identity.emailVerified || !isAllowed) throw new Failure('ACCOUNT_LINK_FAILED')
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
