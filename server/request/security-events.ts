import type { FailureName } from '../../shared/errors.ts'

/** The user whom it concerns; null where none is known. */
interface ByUser {
  readonly userId: string | null
}
/** What a user did in an organization. */
interface InOrganization extends ByUser {
  readonly organizationId: string
}
interface AboutMember extends InOrganization {
  readonly memberUserId: string
}
/** The organization that it is done in, and the id of what it is done to. */
interface AboutThing extends InOrganization {
  readonly target: string
}
/** What an administrator does to a user. */
interface AboutUser extends ByUser {
  readonly targetUserId: string
}
interface AtProvider extends ByUser {
  readonly provider: string
}
/** A key, or a trust rule, of an organization or of a person. */
interface AboutKey extends ByUser {
  readonly organizationId: string | null
  readonly target: string
}
interface Refused extends ByUser {
  readonly reason: FailureName | 'APPLICATION'
}

/** Which of the checks an id token of a CI provider did not pass. */
export type WorkloadRefusal =
  | 'malformed'
  | 'issuer'
  | 'keys'
  | 'signature'
  | 'algorithm'
  | 'audience'
  | 'expired'
  | 'too-early'
  | 'too-old'

/** Why the id token of a CI provider was refused; its sender is told nothing of it. */
export type ExchangeRefusal = WorkloadRefusal | 'claims' | 'ambiguous' | 'replayed' | 'ended' | 'sponsor'

/**
 * What is told for whoever looks into an incident: event → what its line in the security log says besides request and
 * network. All but the last three also have a row in the audit trail, written together with what it tells. Ids, role names
 * and names of the catalogue only: no address, name, token or password; no invitation id, which proves a mailbox.
 */
export interface SecurityEvents {
  'sign-up-done': ByUser
  /** The address was taken: by this user, where that is known. */
  'sign-up-failed': Refused
  'sign-in-done': ByUser
  'sign-in-failed': Refused
  'sign-out-done': ByUser
  /** A sign-in that is to be finished in a browser. */
  'device-sign-in-asked': ByUser
  'device-sign-in-approved': ByUser
  'device-sign-in-refused': ByUser
  /** An account at a provider that is to be linked in another browser. */
  'device-link-asked': ByUser
  'device-link-refused': ByUser
  /** Somebody typed a user code that nobody was given. */
  'user-code-wrong': ByUser
  /** A password that a signed-in user had to give once more. */
  'password-proof-failed': Refused
  'password-reset-asked': ByUser
  'password-reset-done': ByUser
  'password-changed': ByUser
  'password-set': ByUser
  'email-verification-asked': ByUser
  'email-verified': ByUser
  'email-change-asked': ByUser
  'email-change-agreed': ByUser
  'email-changed': ByUser
  /** At a provider, named by its id. */
  'account-linked': AtProvider
  'account-unlinked': AtProvider
  'sessions-revoked': ByUser & { readonly count: number }
  /** Ways in whose holders never proved the mailbox ended when its owner came. */
  'unproven-sign-ins-ended': ByUser & { readonly count: number }
  'account-deletion-asked': ByUser
  'account-deleted': ByUser
  'organization-created': InOrganization
  /** `fields`: the names of those that were given. */
  'organization-updated': InOrganization & { readonly fields: string }
  'organization-deleted': InOrganization
  'member-added': AboutMember & { readonly role: string }
  'member-removed': AboutMember
  'member-left': InOrganization
  'role-changed': AboutMember & { readonly from: string; readonly to: string }
  'invitation-sent': InOrganization & { readonly role: string }
  'invitation-resent': InOrganization & { readonly role: string }
  'invitation-accepted': InOrganization & { readonly role: string }
  'invitation-rejected': InOrganization
  'invitation-canceled': InOrganization
  'key-created': AboutKey & { readonly role: string; readonly scopes: string }
  'key-rotated': AboutKey & { readonly overlap: number }
  'key-revoked': AboutKey
  /** By who is responsible from now on; `from`: who was before. */
  'key-adopted': AboutKey & { readonly from: string | null }
  'trust-created': AboutKey & { readonly role: string }
  'trust-deleted': AboutKey
  'trust-adopted': AboutKey & { readonly from: string | null }
  /** A session by the id token of a CI provider. */
  'token-exchanged': AboutKey
  /** `reason`: which of the checks it did not pass. */
  'token-exchange-refused': ByUser & {
    readonly reason: ExchangeRefusal
    readonly organizationId: string | null
    readonly target?: string | undefined
  }
  'team-created': AboutThing
  'team-updated': AboutThing
  'team-deleted': AboutThing
  'team-member-added': AboutThing & { readonly memberUserId: string }
  'team-member-removed': AboutThing & { readonly memberUserId: string }
  'user-created': AboutUser & { readonly role: string }
  'user-role-changed': AboutUser & { readonly from: string; readonly to: string }
  /** `seconds`: for how long; null for good. */
  'user-banned': AboutUser & { readonly seconds: number | null }
  'user-unbanned': AboutUser
  'user-removed': AboutUser
  'user-password-set': AboutUser
  'user-sessions-revoked': AboutUser & { readonly count: number }
  /** The other user is as whom the administrator acts. */
  'impersonation-started': AboutUser & { readonly seconds: number }
  'impersonation-ended': AboutUser
  /** A new key, by its id, will sign tokens for other services; `count`: so many before it ended at once. */
  'keys-rotated': ByUser & { readonly target: string; readonly count: number }
  /** A key from elsewhere than it may come. Of the log alone, as what follows. */
  'key-refused': AboutKey
  /** A limit was reached. */
  'request-throttled': ByUser & { readonly route: string }
  'permission-refused': Refused & { readonly route: string }
}
