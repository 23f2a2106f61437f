import { isMachineAddress } from '../../shared/email.ts'
import { providerDisplayName } from '../../shared/providers.ts'
import type { Config } from '../config.ts'
import { newId } from '../crypto/id.ts'
import { digestTextOf, randomText } from '../crypto/token.ts'
import type { Limit } from '../db/limits.ts'
import type { MailLimits, NewLink, Notice } from '../db/links.ts'
import type { Deps } from '../deps.ts'
import { networkOf } from '../limits/ip-address.ts'
import { type MailPayload, passwordWay } from '../mail/outbox.ts'
import type { Caller, Client } from '../request/client.ts'
import { knownDeviceOf, limitOf } from './limits.ts'

/** The key of a verification row: its purpose and the digest of the token. */
export const linkIdentifierOf = {
  'reset-password': (token: string) => `reset-password:${digestTextOf(token)}`,
  'delete-account': (token: string) => `delete-account-${digestTextOf(token)}`,
  'verify-email': (jti: string) => `verify-email:${digestTextOf(jti)}`,
  'change-email': (jti: string) => `change-email:${digestTextOf(jti)}`,
  'new-email': (jti: string) => `new-email:${digestTextOf(jti)}`,
} as const

/** The language of the request is that of its mails to receivers who have chosen none. */
type Asker = Pick<Client, 'language'>

interface Parts {
  readonly payload: MailPayload
  readonly identifier: string
  readonly value: string
  readonly seconds: number
}

const linkOf = (
  deps: Deps,
  client: Asker,
  mailLimits: MailLimits,
  { payload, identifier, value, seconds }: Parts,
): NewLink => ({
  id: newId(),
  identifier,
  value,
  seconds,
  mail: deps.outbox.seal(payload, client.language),
  mailLimits,
})

/** A link that verifies or changes the user's address. */
const addressLinkOf = (deps: Deps, client: Asker, mailLimits: MailLimits, parts: Omit<Parts, 'seconds'>): NewLink =>
  linkOf(deps, client, mailLimits, { ...parts, seconds: deps.config.EMAIL_VERIFICATION_EXPIRES_IN })

/** A link sent to the address that it verifies. */
export function verificationLink(
  deps: Deps,
  client: Asker,
  mailLimits: MailLimits,
  { to, callbackURL }: { readonly to: string; readonly callbackURL?: string | undefined },
): NewLink {
  const jti = randomText(32)
  const payload = { kind: 'verify-email', to, jti, callbackURL } as const
  return addressLinkOf(deps, client, mailLimits, {
    payload,
    identifier: linkIdentifierOf['verify-email'](jti),
    value: to,
  })
}

export interface NewAddress {
  /** The old address, which has to agree to the new one. */
  readonly from: string
  readonly to: string
  readonly callbackURL: string | undefined
}

/** A link sent to the new address. Opening it replaces the old one. */
export function newAddressLink(
  deps: Deps,
  client: Asker,
  mailLimits: MailLimits,
  { from, to, callbackURL }: NewAddress,
): NewLink {
  const jti = randomText(32)
  const payload = { kind: 'verify-email', to, jti, from, callbackURL } as const
  return addressLinkOf(deps, client, mailLimits, { payload, identifier: linkIdentifierOf['new-email'](jti), value: to })
}

/** A link sent to the old address, which agrees to the new one by opening it. */
export function addressChangeLink(
  deps: Deps,
  client: Asker,
  mailLimits: MailLimits,
  { from, to, callbackURL }: NewAddress,
): NewLink {
  const jti = randomText(32)
  const payload = { kind: 'change-email', to: from, jti, newEmail: to, callbackURL } as const
  return addressLinkOf(deps, client, mailLimits, {
    payload,
    identifier: linkIdentifierOf['change-email'](jti),
    value: to,
  })
}

/** A link with a random token. */
export function tokenLink(
  deps: Deps,
  client: Asker,
  mailLimits: MailLimits,
  payload: Extract<MailPayload, { kind: 'reset-password' | 'delete-account' }>,
): NewLink {
  const { RESET_PASSWORD_EXPIRES_IN, DELETE_TOKEN_EXPIRES_IN } = deps.config
  const seconds = payload.kind === 'reset-password' ? RESET_PASSWORD_EXPIRES_IN : DELETE_TOKEN_EXPIRES_IN
  return linkOf(deps, client, mailLimits, {
    payload,
    identifier: linkIdentifierOf[payload.kind](payload.token),
    value: payload.to,
    seconds,
  })
}

/** A mail without a link that anybody can trigger. It counts like any other mail. */
export const createNotice = (
  { outbox }: Deps,
  client: Asker,
  mailLimits: MailLimits,
  payload: MailPayload,
): Notice => ({ mail: outbox.seal(payload, client.language), mailLimits })

/**
 * Tells an owner about a change made with their secret. Never withheld, since a flood of other mails could hide it. In
 * the language of the owner, else of the service: the request may be a thief's.
 */
export const createAlert = (deps: Deps, payload: MailPayload): Notice =>
  createNotice(deps, { language: null }, { asked: [], stored: [] }, payload)

// Beyond a limit the answer stays the same and no mail is sent. Each kind of request has its own limits, so that one
// cannot use up another's: links that anybody may ask for, mails to proven owners, sign-ups, invitations.

const unlimited: MailLimits = { asked: [], stored: [] }

/** When mails cannot leave the machine, none is withheld, so that developers see every mail. */
const areMailsLimited = ({ RATE_LIMIT, NODE_ENV, SMTP_URL, extensions }: Config): boolean =>
  RATE_LIMIT && (NODE_ENV === 'production' || SMTP_URL !== undefined || extensions.sendMail !== undefined)

/** Comes first, so that a network that asks too often cannot use up the share of an address. */
const fromNetwork = (deps: Deps, scope: string, client: Client) =>
  limitOf(deps, 'mailsFromNetwork', `${scope}-from:${networkOf(client.address)}`)

const toAddress = (deps: Deps, scope: string, to: string) => [
  limitOf(deps, 'mailsToAddress', `${scope}-to:${mailboxOf(to)}`),
  { ...limitOf(deps, 'mailsToAddressDaily', `${scope}-to-daily:${mailboxOf(to)}`), mayYield: true },
]

/**
 * For links that anybody may request for any address. A known device of the address counts as its owner. Each kind of
 * link is counted per exact address, whether or not a user has it. Per mailbox (tags removed) only stored mails count.
 * The mailbox limit is waived when the user has no live link of that kind, so that nobody can block a link by
 * requesting others.
 */
export function requestedMailLimits(deps: Deps, client: Client, kind: LinkKind, to: string): MailLimits {
  if (!areMailsLimited(deps.config)) return unlimited
  if (knownDeviceOf(deps, client, to)) return ownMailLimits(deps, client, to)
  return {
    asked: [fromNetwork(deps, 'mail', client), ...requestsFor(deps, kind, to)],
    stored: [...linksTo(deps, to), limitOf(deps, 'mailsInAll', 'mail')],
  }
}

const linkKinds = ['reset-password', 'verify-email'] as const
type LinkKind = (typeof linkKinds)[number]

const requestsFor = (deps: Deps, kind: LinkKind, to: string) => [
  limitOf(deps, 'mailsToAddress', `mail-to:${kind}:${to}`),
  { ...limitOf(deps, 'mailsToAddressDaily', `mail-to-daily:${kind}:${to}`), mayYield: true },
]

const linksTo = (deps: Deps, to: string) => [
  { ...limitOf(deps, 'mailsToAddress', `mailbox:${mailboxOf(to)}`), mayYield: true },
  { ...limitOf(deps, 'mailsToAddressDaily', `mailbox-daily:${mailboxOf(to)}`), mayYield: true },
]

/** All that can keep mails from one address. */
export const limitsOfMailsTo = (deps: Deps, to: string): readonly Limit[] => [
  ...linkKinds.flatMap((kind) => requestsFor(deps, kind, to)),
  ...linksTo(deps, to),
  ...['own-mail', 'sign-up-mail', 'invitation'].flatMap((scope) => toAddress(deps, scope, to)),
]

/**
 * For users who are signed in or have proven the password. There is no limit over all users together, because strangers
 * with many networks could use it up.
 */
export const ownMailLimits = (deps: Deps, client: Client, to: string): MailLimits =>
  areMailsLimited(deps.config)
    ? { asked: [fromNetwork(deps, 'own-mail', client), ...toAddress(deps, 'own-mail', to)], stored: [] }
    : unlimited

/** A sign-up can name any address, taken or not. */
export const signUpMailLimits = (deps: Deps, client: Client, to: string): MailLimits =>
  areMailsLimited(deps.config)
    ? {
        asked: [fromNetwork(deps, 'sign-up-mail', client), ...toAddress(deps, 'sign-up-mail', to)],
        stored: [limitOf(deps, 'mailsInAll', 'sign-up-mail')],
      }
    : unlimited

/** The link that a new user verifies the address with. Null when the settings send none at sign-up. */
export const welcomeLink = (deps: Deps, client: Client, email: string, callbackURL?: string): NewLink | null =>
  deps.config.VERIFICATION_EMAIL && deps.config.SEND_VERIFICATION_ON_SIGN_UP
    ? verificationLink(deps, client, signUpMailLimits(deps, client, email), {
        to: email,
        callbackURL: callbackURL || undefined,
      })
    : null

/**
 * Per inviter, and per network because accounts are quickly created. An inviter without a proven mailbox may send only
 * a few; an organization vouches for its machines.
 */
export function invitationMailLimits(deps: Deps, client: Client, caller: Caller, to: string): MailLimits {
  if (!areMailsLimited(deps.config)) return unlimited
  const { user, provenAddress } = caller
  const isVouchedFor = provenAddress !== null || isMachineAddress(user.email)
  const [proven, unproven] = [
    limitOf(deps, 'invitationsByUser', `invitation-by:${user.id}`),
    limitOf(deps, 'invitationsByUnverified', `invitation-by:${user.id}`),
  ] as const
  // They share a counter, so it has one window: a use by a shorter one would begin it anew.
  const seconds = Math.max(proven.seconds, unproven.seconds)
  return {
    asked: [
      { ...(isVouchedFor ? proven : unproven), seconds },
      limitOf(deps, 'invitationsFromNetwork', `invitation-from:${networkOf(client.address)}`),
      ...toAddress(deps, 'invitation', to),
    ],
    stored: [limitOf(deps, 'invitationsInAll', 'invitation')],
  }
}

/** Different spellings of one mailbox share its limits. They remain different users. */
const mailboxOf = (email: string): string => email.replace(/\+[^@]*@/, '@')

/**
 * One log line for the operator, because the answer does not show it: the kind of mail and the limit, not the
 * recipient.
 */
export function logWithheldMail(
  { log, observer }: Pick<Deps, 'log' | 'observer'>,
  kind: string,
  limit: string | null,
): void {
  if (limit === null) return
  log.warn({ kind, limit }, 'mail withheld')
  observer?.withheld(kind, limit)
}

/**
 * Display names of sign-in methods, from provider ids; `credential` is a password, which mails name in their language.
 */
export const signInMethodNamesOf = (ids: readonly string[]): string[] =>
  ids.map((id) => (id === 'credential' ? passwordWay : providerDisplayName(id)))
