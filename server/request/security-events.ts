import type { FailureName } from '../../shared/errors.ts'

/** The user concerned. Null when unknown. */
interface ByUser {
  readonly userId: string | null
}
/** An action in an organization. */
interface InOrganization extends ByUser {
  readonly organizationId: string
}
interface AboutMember extends InOrganization {
  readonly memberUserId: string
}
/** The organization, and the id of the target in it. */
interface AboutThing extends InOrganization {
  readonly target: string
}
/** An administrator's action on a user. */
interface AboutUser extends ByUser {
  readonly targetUserId: string
}
interface AtProvider extends ByUser {
  readonly provider: string
}
/** A key or trust rule of an organization or of a person. */
interface AboutKey extends ByUser {
  readonly organizationId: string | null
  readonly target: string
}
interface Refused extends ByUser {
  readonly reason: FailureName | 'APPLICATION'
}

/** Which check an id token of a CI provider failed. */
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

/** Why the id token of a CI provider was refused. The sender does not learn the reason. */
export type ExchangeRefusal = WorkloadRefusal | 'claims' | 'ambiguous' | 'replayed' | 'ended' | 'sponsor'

/**
 * The security events, for incident investigation: event → the facts in its log line, besides request and network. All
 * but the last three also have a row in the audit trail, written in the same transaction. Facts are only ids, role
 * names and names of the catalogue. They contain no address, name, token or password, and no invitation id, which would
 * prove a mailbox.
 */
export interface SecurityEvents {
  'sign-up-done': ByUser
  /** The address was taken; by this user, where known. */
  'sign-up-failed': Refused
  'sign-in-done': ByUser
  'sign-in-failed': Refused
  'sign-out-done': ByUser
  /** A sign-in that is to be completed in a browser. */
  'device-sign-in-asked': ByUser
  'device-sign-in-approved': ByUser
  'device-sign-in-refused': ByUser
  /** An account at a provider that is to be linked in another browser. */
  'device-link-asked': ByUser
  'device-link-refused': ByUser
  /** Somebody typed a user code that was never issued. */
  'user-code-wrong': ByUser
  /** A signed-in user failed to enter their password again. */
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
  /** `fields`: the names of the given fields. */
  'profile-updated': ByUser & { readonly fields: string }
  /** At a provider, named by its id. */
  'account-linked': AtProvider
  'account-unlinked': AtProvider
  /** The label of the current session was changed. */
  'session-updated': ByUser
  'sessions-revoked': ByUser & { readonly count: number }
  /** Sign-in methods that never proved the mailbox were removed when its owner signed in. */
  'unproven-sign-ins-ended': ByUser & { readonly count: number }
  'account-exported': ByUser
  'account-deletion-asked': ByUser
  'account-deleted': ByUser
  'organization-created': InOrganization
  /** `fields`: the names of the given fields. */
  'organization-updated': InOrganization & { readonly fields: string }
  'organization-deleted': InOrganization
  /** The definition of a role of the organization. `role`: its name. */
  'organization-role-created': InOrganization & { readonly role: string; readonly permissions: string }
  /** `from` and `to`: its names before and after. */
  'organization-role-updated': InOrganization & {
    readonly from: string
    readonly to: string
    readonly permissions: string
  }
  'organization-role-deleted': InOrganization & { readonly role: string }
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
  /** By the user who is now responsible. `from`: the user who was before. */
  'key-adopted': AboutKey & { readonly from: string | null }
  'trust-created': AboutKey & { readonly role: string }
  'trust-deleted': AboutKey
  'trust-adopted': AboutKey & { readonly from: string | null }
  /** A session started with the id token of a CI provider. */
  'token-exchanged': AboutKey
  /** `reason`: the check that failed. */
  'token-exchange-refused': ByUser & {
    readonly reason: ExchangeRefusal
    readonly organizationId: string | null
    readonly target?: string | undefined
  }
  /** A webhook of an organization, or of the service without one. */
  'webhook-created': AboutKey
  /** `fields`: the names of the given fields. */
  'webhook-updated': AboutKey & { readonly fields: string }
  'webhook-rotated': AboutKey & { readonly overlap: number }
  /** `isReplay`: from a given cursor on. */
  'webhook-resumed': AboutKey & { readonly isReplay: boolean }
  'webhook-tested': AboutKey
  /** The service gave it up after so many attempts. */
  'webhook-parked': AboutKey & { readonly attempts: number }
  'webhook-deleted': AboutKey
  'team-created': AboutThing
  'team-updated': AboutThing
  'team-deleted': AboutThing
  'team-member-added': AboutThing & { readonly memberUserId: string }
  'team-member-removed': AboutThing & { readonly memberUserId: string }
  'user-updated': AboutUser & { readonly fields: string }
  'user-created': AboutUser & { readonly role: string }
  'user-role-changed': AboutUser & { readonly from: string; readonly to: string }
  /** `count`: the counters that were cleared. */
  'user-unlocked': AboutUser & { readonly count: number }
  /** `seconds`: the duration. Null for a permanent ban. */
  'user-banned': AboutUser & { readonly seconds: number | null }
  'user-unbanned': AboutUser
  'user-exported': AboutUser
  'user-removed': AboutUser
  'user-password-set': AboutUser
  'user-sessions-revoked': AboutUser & { readonly count: number }
  /** `targetUserId`: the impersonated user. */
  'impersonation-started': AboutUser & { readonly seconds: number }
  'impersonation-ended': AboutUser
  /**
   * By the command on the machine itself, once for each transaction. `administrators`: how many users with rights on
   * the platform came.
   */
  'records-imported': ByUser & {
    readonly source: 'auth0' | 'better-auth' | 'clerk' | 'file' | 'firebase' | 'keycloak' | 'supabase'
    readonly count: number
    readonly users: number
    readonly organizations: number
    readonly sessions: number
    readonly administrators: number
  }
  'mail-resent': ByUser & { readonly target: string }
  'mails-released': ByUser & { readonly count: number }
  /** A new key, named by its id, will sign tokens for other services. `count`: how many earlier keys ended at once. */
  'keys-rotated': ByUser & { readonly target: string; readonly count: number }
  /** A key used from a network outside its ranges. This event and the following ones are only in the log. */
  'key-refused': AboutKey
  /** A limit was reached. */
  'request-throttled': ByUser & { readonly route: string }
  'permission-refused': Refused & { readonly route: string }
}
