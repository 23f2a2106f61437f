import type { RateLimits } from '../../../server/settings/rate-limits.ts'

/** What each limit counts. A network is an IPv4 address or an IPv6 /64. */
export const limitWords: Readonly<Record<keyof RateLimits, string>> = {
  calls:
    'Calls without a token, per network and call; refusals of foreign pages count separately. Calls with a token that belongs to no live session, per network; once that is known, per token, and per network and call. `/ok`, `/ready` and preflights of trusted pages are never refused.',
  visits: 'get-session without a token, per network. High, because a backend may ask for every visitor.',
  sessionCalls: 'Calls of a live session, per session.',
  keyCalls: 'Calls with a machine key, per key.',
  acts: 'Acts of one person that the audit trail records.',
  actsDaily: 'The same over a day.',
  organizationActs: 'Acts in one organization, by all its people and machines together.',
  organizationActsEach: 'Acts there that are reserved for each of them, however many the others used.',
  passwordCalls:
    'Sign-in (with a provider too), link-social, sign-up, password reset and proof of one’s own password, per network and call.',
  mailCalls: 'forget-password and send-verification-email, per network and call.',
  networkFailures: 'Wrong passwords from unknown devices, per network. A success gives back only its own attempt.',
  accountTries: 'Attempts at one account from unknown devices. A success clears the counter.',
  accountFailures:
    'Consecutive failures at one account, or on one known device. After that only a mailed reset or an administrator helps.',
  deviceTries: 'Attempts on a known device, per device. A success clears the counter.',
  userCodes: 'Wrong codes of device sign-ins, per network and per user. A right one gives back only its own attempt.',
  userCodesInAll: 'The same from everywhere. It refuses nobody; the log records it at level warn.',
  deviceStarts: 'Device sign-ins that were started, per network.',
  deviceStartsFromSite: 'The same per IPv6 /48, which holds 65,536 networks.',
  deviceStartsInAll: 'The same in total, counted separately for IPv4 and IPv6.',
  linkStarts: 'Account links that were started, per user.',
  exchangeFailures:
    'Refused id tokens of CI providers, per network. One that is accepted, or whose issuer cannot be asked, gives back only its own attempt.',
  webhookTests: 'Test messages to webhooks, per user.',
  emailChanges: 'change-email, per user.',
  mailsToAddress:
    'Mails to one mailbox (plus-tags ignored), per [budget](mail.md#budgets). In the first budget, a user without a working link of that kind gets one all the same, so users who share a mailbox each get theirs. Such links are limited by the same number for each exact address and kind, by `mailsFromNetwork` and by `mailsInAll`.',
  mailsToAddressDaily: 'The same over a day. A link that was asked for is still sent when its user has no working one.',
  mailsFromNetwork: 'Mails that one network asks for, per budget; invitations are separate.',
  mailsInAll: 'Mails that were stored, in total, per budget.',
  invitationsByUser: 'Mailed invitations, per sender.',
  invitationsByUnverified:
    'The same while the sender has not proved a mailbox. The longer of both windows counts for both.',
  invitationsFromNetwork: 'Mailed invitations, per network.',
  invitationsInAll: 'Mailed invitations that were stored, in total.',
}
