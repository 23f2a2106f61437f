import type { FoundIdentity } from '../../db/identities.ts'
import type { ProfileOverride } from '../../db/override-user.ts'
import type { Deps } from '../../deps.ts'
import type { Identity } from '../../providers/identity.ts'
import type { ConfiguredProvider } from '../../providers/provider.ts'
import type { Act } from '../../request/audit-event.ts'
import type { Client } from '../../request/client.ts'
import { ProvenAddress } from '../../request/proven-address.ts'
import { alertOf } from '../mailed-link.ts'

/** A proven identity, and how it was proven. */
interface ToldOf {
  readonly configured: ConfiguredProvider
  readonly identity: Identity & { readonly email: string }
  readonly isLedBack?: boolean
}

/**
 * What the provider's profile replaces of a user; null: nothing. An address is as good as a password, since a reset is mailed
 * there: another one needs what an unknown identity needs to be led to a user, the word of a provider that we trust.
 */
export function overrideOf(
  deps: Deps,
  [client, act]: readonly [Client, Act],
  { configured: { provider, registration }, identity, isLedBack = false }: ToldOf,
  { user, isProven, hasProof }: FoundIdentity,
): ProfileOverride | null {
  if (!isLedBack || !registration.overrideUserInfo) return null
  const { name, image, email } = identity
  const address = ProvenAddress.statedByProvider(deps.config.TRUSTED_PROVIDERS, provider.id, identity)
  // Whoever never proved the old mailbox takes it from nobody who did.
  const mayMove = email !== user.email && address !== null && (isProven || !hasProof)
  const notice = () => alertOf(deps, { kind: 'email-changed', to: user.email, newEmail: email })
  const event = () => client.event(act, 'email-changed', { userId: user.id })
  const move = mayMove ? { from: user.email, notice: notice(), event: event() } : null
  return { name: name || null, image, email, move }
}
