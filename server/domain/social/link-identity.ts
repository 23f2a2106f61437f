import { Failure } from '../../../shared/failure.ts'
import { newId } from '../../crypto/id.ts'
import {
  type AccountLink,
  findIdentity,
  linkAccount,
  type NewAccountLink,
  updateLinkedTokens,
} from '../../db/identities.ts'
import { logEventsOnceCommitted } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Client } from '../../request/client.ts'
import type { ProvenAddress } from '../../request/proven-address.ts'
import { linkCapabilityByAddress, requireFreshSession } from '../../request/sign-in-method-capability.ts'
import { linkNotice } from './identity-effects.ts'
import { RedirectRefusal } from './redirect-refusal.ts'
import type { VerifiedIdentity } from './verify-identity.ts'

/** The user who asked for a link, and the session they asked in. */
export interface LinkingUser {
  readonly user: { readonly id: string; readonly email: string; readonly emailVerified: boolean }
  readonly session: { readonly id: string }
  readonly provenAddress: ProvenAddress | null
  readonly isFresh: boolean
  /** Digest of the browser's binding, when the link is made in another browser than the session's. */
  readonly claim?: Buffer
}

/** Links a verified identity to the user whose session began the link. Throws when it is refused. */
export async function linkIdentity(
  deps: Deps,
  client: Client,
  linker: LinkingUser,
  identity: VerifiedIdentity,
): Promise<void> {
  const { key } = identity
  const { user, session, claim } = linker
  const found = await findIdentity(deps.sql, key, null)
  if (found && found.user.id !== user.id) throw new RedirectRefusal('account_already_linked_to_different_user')
  const { use, tokensOf } = identity.verification
  const link = { sessionId: session.id, key, claim, use, tokens: tokensOf(found?.account ?? newId()) }
  const isKept = found
    ? await updateLinkedTokens(deps.sql, user.id, link)
    : await addLink(deps, client, { ...link, ...requireMayLink(deps, linker, identity) }, [linker, identity])
  if (!isKept) throw await reasonNotLinked(deps, key, user.id)
}

async function addLink(
  deps: Deps,
  client: Client,
  link: AccountLink & LinkPermission,
  [{ user }, { configured }]: readonly [LinkingUser, VerifiedIdentity],
): Promise<boolean> {
  const notice = linkNotice(deps, user.email, configured)
  const isLinked = await logEventsOnceCommitted((act) => {
    const event = client.event(act, 'account-linked', { userId: user.id, provider: link.key.providerId })
    return linkAccount(deps.sql, { ...link, notice, event })
  }, Boolean)
  if (isLinked) deps.outbox.nudge()
  return isLinked
}

type LinkPermission = Pick<NewAccountLink, 'mayLink' | 'owner'>

/**
 * A provider that vouches for the user's own address shows that this is the same person. Otherwise the session must
 * still be fresh when the account is linked, not only when the link began. Once the address is verified, a session
 * whose sign-in method did not prove the mailbox links nothing.
 */
function requireMayLink(
  deps: Deps,
  linker: LinkingUser,
  { identity, address: owner }: VerifiedIdentity,
): LinkPermission {
  const isAllowed = deps.config.ALLOW_DIFFERENT_EMAILS || identity.email === linker.user.email
  if (!deps.config.ACCOUNT_LINKING || !identity.emailVerified || !isAllowed) throw new Failure('ACCOUNT_LINK_FAILED')
  const mayLink = owner && linkCapabilityByAddress(owner, linker.user)
  if (mayLink) return { mayLink, owner }
  if (linker.user.emailVerified && !linker.provenAddress) throw new RedirectRefusal('address_not_proven')
  return { mayLink: requireFreshSession(linker), owner: null }
}

/** The reason nothing was linked: somebody else linked the identity first, or the session ended. */
async function reasonNotLinked({ sql }: Deps, key: Parameters<typeof findIdentity>[1], userId: string): Promise<Error> {
  const found = await findIdentity(sql, key, null)
  return found && found.user.id !== userId
    ? new RedirectRefusal('account_already_linked_to_different_user')
    : new Failure('ACCOUNT_LINK_FAILED')
}
