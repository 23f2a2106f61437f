import type { FoundIdentity } from '../../db/identities.ts'
import type { ProfileOverride } from '../../db/override-user.ts'
import type { OwnerArrival } from '../../db/owner-arrival.ts'
import type { Deps } from '../../deps.ts'
import type { Identity } from '../../providers/identity.ts'
import type { ConfiguredProvider } from '../../providers/provider.ts'
import { type Act, withdraw } from '../../request/audit-event.ts'
import type { Client } from '../../request/client.ts'
import { ProvenAddress } from '../../request/proven-address.ts'
import { alertOf } from '../mailed-link.ts'
import { wayNamesOf } from './way-names.ts'

interface Stated {
  readonly configured: ConfiguredProvider
  readonly identity: Identity & { readonly email: string }
}

/** The identity's address, where the word of its provider proves the mailbox. */
export const addressOf = ({ config }: Deps, { configured, identity }: Stated): ProvenAddress | null =>
  ProvenAddress.statedByProvider(config.TRUSTED_PROVIDERS, configured.provider.id, identity)

/** The mail names the ways in that end, for whoever may have made one of them. */
export function arrivalOf(
  deps: Deps,
  [client, act]: readonly [Client, Act],
  address: ProvenAddress,
  { user, unproven, hasProof, account }: FoundIdentity,
): OwnerArrival {
  const payload = { kind: 'unproven-sign-ins-ended', to: user.email, ways: wayNamesOf(deps, unproven) } as const
  const event = client.event(act, 'unproven-sign-ins-ended', { userId: user.id, count: unproven.length })
  if (unproven.length === 0) withdraw(event)
  return { address, mail: alertOf(deps, payload).mail, event, endsAll: !hasProof && account === null }
}

/** Whether the address of a known identity proves something new of its user: of most sign-ins it does not. */
export function isArrival(address: ProvenAddress, found: FoundIdentity, override: ProfileOverride | null): boolean {
  const isSettled =
    found.isProven && found.user.emailVerified && found.unproven.length === 0 && !found.hasStrayedSession
  return !isSettled && (address.email === found.user.email || Boolean(override?.move))
}
