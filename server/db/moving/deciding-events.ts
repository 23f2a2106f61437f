import type { AuditEventName } from '../../../shared/audit-events.ts'

/**
 * Whose records an import no longer changes after this event. `nobody`: strangers can cause it, or it changes nothing.
 * `actor`: who acted; what was acted on is something else, or a member, whose move an owner must not be able to block.
 * `both`: the actor and the user concerned.
 */
const decides: Readonly<Record<AuditEventName, 'nobody' | 'actor' | 'both'>> = {
  'sign-up-done': 'both',
  'sign-up-failed': 'nobody',
  'sign-in-done': 'both',
  'sign-in-failed': 'nobody',
  'sign-out-done': 'both',
  'device-sign-in-asked': 'nobody',
  'device-sign-in-approved': 'both',
  'device-sign-in-refused': 'nobody',
  'device-link-asked': 'nobody',
  'device-link-refused': 'nobody',
  'user-code-wrong': 'nobody',
  'password-proof-failed': 'nobody',
  'password-reset-asked': 'nobody',
  'password-reset-done': 'both',
  'password-changed': 'both',
  'password-set': 'both',
  'email-verification-asked': 'nobody',
  'email-verified': 'both',
  'email-change-asked': 'nobody',
  'email-change-agreed': 'both',
  'email-changed': 'both',
  'profile-updated': 'both',
  'account-linked': 'both',
  'account-unlinked': 'both',
  'unproven-sign-ins-ended': 'both',
  'session-updated': 'both',
  'sessions-revoked': 'both',
  'account-exported': 'actor',
  'account-deletion-asked': 'nobody',
  'account-deleted': 'both',
  'organization-created': 'actor',
  'organization-updated': 'actor',
  'organization-deleted': 'actor',
  'organization-role-created': 'actor',
  'organization-role-updated': 'actor',
  'organization-role-deleted': 'actor',
  'member-added': 'actor',
  'member-removed': 'actor',
  'member-left': 'actor',
  'role-changed': 'actor',
  'invitation-sent': 'actor',
  'invitation-resent': 'actor',
  'invitation-accepted': 'both',
  'invitation-rejected': 'both',
  'invitation-canceled': 'actor',
  'team-created': 'actor',
  'team-updated': 'actor',
  'team-deleted': 'actor',
  'team-member-added': 'actor',
  'team-member-removed': 'actor',
  'user-created': 'both',
  'user-updated': 'both',
  'user-role-changed': 'both',
  'user-unlocked': 'actor',
  'user-banned': 'both',
  'user-unbanned': 'both',
  'user-removed': 'both',
  'user-exported': 'actor',
  'user-password-set': 'both',
  'user-sessions-revoked': 'both',
  'impersonation-started': 'actor',
  'impersonation-ended': 'actor',
  'keys-rotated': 'actor',
  'key-created': 'actor',
  'key-rotated': 'actor',
  'key-revoked': 'actor',
  'key-adopted': 'actor',
  'trust-created': 'actor',
  'trust-deleted': 'actor',
  'trust-adopted': 'actor',
  'token-exchanged': 'both',
  'token-exchange-refused': 'nobody',
  'webhook-created': 'actor',
  'webhook-updated': 'actor',
  'webhook-rotated': 'actor',
  'webhook-resumed': 'actor',
  'webhook-tested': 'actor',
  'webhook-parked': 'nobody',
  'webhook-deleted': 'actor',
  'records-imported': 'nobody',
  'mail-resent': 'actor',
  'mails-released': 'actor',
}

const named = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ')
const deciding = (...whom: readonly string[]): string =>
  named(Object.entries(decides).flatMap(([name, one]) => (whom.includes(one) ? [name] : [])))

const byUser = `e.event in (${deciding('both')})`
const byActor = `e.event in (${deciding('both', 'actor')})`

/**
 * Once something was done here by or to somebody, their ways in are decided here: what a proof, a reset, a ban or a
 * deletion ended does not come again. Two look-ups, since each has an index of its own.
 */
export const isUntouchedUser = (user: string): string => `(
  not exists (select from audit_events e where e.user_id = ${user} and ${byUser})
  and not exists (select from audit_events e where e.actor_id = ${user} and ${byActor})
)`

/** The same for something of an organization. `about`: what else the event has to name. */
export const isWithout = (
  names: readonly AuditEventName[],
  organization: string,
  about = 'true',
): string => `not exists (
  select from audit_events e where e.organization_id = ${organization} and ${about} and e.event in (${named(names)})
)`
