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
interface AtProvider extends ByUser {
  readonly provider: string
}
interface Refused extends ByUser {
  readonly reason: FailureName | 'APPLICATION'
}

/**
 * The security log, for whoever looks into an incident: event → what its line says besides request and network. Ids, role
 * names and names of the catalogue only: no address, name, token or password; no invitation id, which proves a mailbox.
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
  'account-deletion-asked': ByUser
  'account-deleted': ByUser
  'organization-created': InOrganization
  'organization-deleted': InOrganization
  'member-added': AboutMember & { readonly role: string }
  'member-removed': AboutMember
  'member-left': InOrganization
  'role-changed': AboutMember & { readonly from: string; readonly to: string }
  'invitation-sent': InOrganization & { readonly role: string }
  'invitation-accepted': InOrganization & { readonly role: string }
  'invitation-rejected': InOrganization
  'invitation-canceled': InOrganization
  /** A limit was reached. */
  'request-throttled': ByUser & { readonly route: string }
  'permission-refused': Refused & { readonly route: string }
}

/** Writes one event of a request to the security log, which adds time, request and network. */
export type Note = <E extends keyof SecurityEvents>(event: E, facts: SecurityEvents[E]) => void
