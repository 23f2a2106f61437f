import { v7 as uuid } from 'uuid'
import { Failure } from '../../../shared/failure.ts'
import { findIdentity, linkAccount } from '../../db/identities.ts'
import type { Deps } from '../../deps.ts'
import type { Client } from '../../request/client.ts'
import { linkNotice, type Proven } from './enter.ts'
import { RedirectRefusal } from './redirect-refusal.ts'

/** Who asked for a link, and in which session. */
export interface Linker {
  readonly user: { readonly id: string; readonly email: string }
  readonly session: { readonly id: string }
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
  if (!found && !mayLink(deps, linker, proven)) throw new Failure('ACCOUNT_LINK_FAILED')
  const account = { userId: user.id, sessionId: session.id, key, claim }
  const tokens = tokensOf(found?.account ?? uuid())
  const event = client.event('account-linked', { userId: user.id, provider: key.providerId })
  const isLinked = await linkAccount(deps.sql, {
    ...account,
    tokens,
    isKnown: found !== null,
    notice: linkNotice(deps, user.email, configured),
    event,
  })
  if (!isLinked) throw await lost(deps, key, user.id)
  if (found) return
  deps.outbox.nudge()
  client.note(event)
}

/** Who asks is proven twice, here and there; an address besides has to be the same, where the settings do not say otherwise. */
const mayLink = ({ config }: Deps, { user }: Linker, { configured, identity }: Proven): boolean =>
  config.ACCOUNT_LINKING &&
  (identity.emailVerified || config.TRUSTED_PROVIDERS.includes(configured.provider.id)) &&
  (config.ALLOW_DIFFERENT_EMAILS || identity.email === user.email)

/** Why it was not done: somebody else linked the same identity first, or the session ended. */
async function lost({ sql }: Deps, key: Parameters<typeof findIdentity>[1], userId: string): Promise<Error> {
  const found = await findIdentity(sql, key, null)
  return found && found.user.id !== userId
    ? new RedirectRefusal('account_already_linked_to_different_user')
    : new Failure('ACCOUNT_LINK_FAILED')
}
