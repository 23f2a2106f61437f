import { v7 as uuid } from 'uuid'
import { isMachineAddress } from '../../shared/email.ts'
import type { Config } from '../config.ts'
import { digestOf, randomText } from '../crypto/token.ts'
import type { MailLimits, NewLink, Notice } from '../db/links.ts'
import type { Deps } from '../deps.ts'
import { networkOf } from '../limits/ip-address.ts'
import type { MailPayload } from '../mail/outbox.ts'
import type { Caller, Client } from '../request/client.ts'
import { deviceOf, limitOf } from './limits.ts'

/** What a verification row is looked up by: its purpose, then the digest of the token. */
export const identifierOf = {
  'reset-password': (token: string) => `reset-password:${hashOf(token)}`,
  'delete-account': (token: string) => `delete-account-${hashOf(token)}`,
  'verify-email': (jti: string) => `verify-email:${hashOf(jti)}`,
  'change-email': (jti: string) => `change-email:${hashOf(jti)}`,
  'new-email': (jti: string) => `new-email:${hashOf(jti)}`,
} as const

const hashOf = (token: string): string => digestOf(token).toString('base64url')

interface Parts {
  readonly payload: MailPayload
  readonly identifier: string
  readonly value: string | null
  readonly seconds: number
}

const linkOf = (deps: Deps, mailLimits: MailLimits, { payload, identifier, value, seconds }: Parts): NewLink => ({
  id: uuid(),
  identifier,
  value,
  seconds,
  mail: deps.outbox.seal(payload),
  mailLimits,
})

/** Of an address that the user then has. */
const addressLinkOf = (deps: Deps, mailLimits: MailLimits, parts: Omit<Parts, 'seconds'>): NewLink =>
  linkOf(deps, mailLimits, { ...parts, seconds: deps.config.EMAIL_VERIFICATION_EXPIRES_IN })

/** A link to the address that it verifies. */
export function verificationLink(deps: Deps, mailLimits: MailLimits, to: string, callbackURL?: string): NewLink {
  const jti = randomText(32)
  const payload = { kind: 'verify-email', to, jti, callbackURL } as const
  return addressLinkOf(deps, mailLimits, { payload, identifier: identifierOf['verify-email'](jti), value: to })
}

export interface NewAddress {
  /** The old address, which has to agree to the new one. */
  readonly from: string
  readonly to: string
  readonly callbackURL: string | undefined
}

/** A link to the new address; opening it replaces the old one. */
export function newAddressLink(deps: Deps, mailLimits: MailLimits, { from, to, callbackURL }: NewAddress): NewLink {
  const jti = randomText(32)
  const payload = { kind: 'verify-email', to, jti, from, callbackURL } as const
  return addressLinkOf(deps, mailLimits, { payload, identifier: identifierOf['new-email'](jti), value: to })
}

/** A link to the old address, by which it agrees to the new one. */
export function changeLink(deps: Deps, mailLimits: MailLimits, { from, to, callbackURL }: NewAddress): NewLink {
  const jti = randomText(32)
  const payload = { kind: 'change-email', to: from, jti, newEmail: to, callbackURL } as const
  return addressLinkOf(deps, mailLimits, { payload, identifier: identifierOf['change-email'](jti), value: to })
}

/** A link whose token is a random text. */
export function tokenLink(
  deps: Deps,
  mailLimits: MailLimits,
  payload: Extract<MailPayload, { kind: 'reset-password' | 'delete-account' }>,
): NewLink {
  const { RESET_PASSWORD_EXPIRES_IN, DELETE_TOKEN_EXPIRES_IN } = deps.config
  const seconds = payload.kind === 'reset-password' ? RESET_PASSWORD_EXPIRES_IN : DELETE_TOKEN_EXPIRES_IN
  return linkOf(deps, mailLimits, {
    payload,
    identifier: identifierOf[payload.kind](payload.token),
    value: null,
    seconds,
  })
}

/** A mail without a link that anybody can cause: it counts like any other. */
export const noticeOf = ({ outbox }: Deps, mailLimits: MailLimits, payload: MailPayload): Notice => ({
  mail: outbox.seal(payload),
  mailLimits,
})

/** Tells an owner what was changed with their secret. Never withheld: a flood of other mails could hide it. */
export const alertOf = (deps: Deps, payload: MailPayload): Notice => noticeOf(deps, { asked: [], stored: [] }, payload)

// Beyond a limit the answer stays the same and no mail is sent. Each kind of request has limits of its own, so that one
// cannot use up another's: strangers who ask for links, people who proved that they are the owner, sign-ups, invitations.

const free: MailLimits = { asked: [], stored: [] }

/** Where mails cannot leave the machine, none is withheld: a developer who tries the flows sees them all. */
const isHeld = ({ RATE_LIMIT, NODE_ENV, SMTP_URL, extensions }: Config): boolean =>
  RATE_LIMIT && (NODE_ENV === 'production' || SMTP_URL !== undefined || extensions.sendMail !== undefined)

/** Stands first: a network that asks for too much cannot use up the share of an address. */
const fromNetwork = (deps: Deps, scope: string, client: Client) =>
  limitOf(deps, 'mailsFromNetwork', `${scope}-from:${networkOf(client.address)}`)

const toAddress = (deps: Deps, scope: string, to: string) => [
  limitOf(deps, 'mailsToAddress', `${scope}-to:${mailboxOf(to)}`),
  { ...limitOf(deps, 'mailsToAddressDaily', `${scope}-to-daily:${mailboxOf(to)}`), mayYield: true },
]

/**
 * For links that anybody may ask for, to any address. On a known device of the address its owner asks. Each kind of link is
 * counted for the exact address, whether or not a user has it; for the mailbox, its tags left out, only stored mails count.
 * The latter yields where the user has no live link of that kind: nobody uses up a link by asking for others.
 */
export function requestedMailLimits(deps: Deps, client: Client, kind: LinkKind, to: string): MailLimits {
  if (!isHeld(deps.config)) return free
  if (deviceOf(deps, client, to)) return ownMailLimits(deps, client, to)
  return {
    asked: [
      fromNetwork(deps, 'mail', client),
      limitOf(deps, 'mailsToAddress', `mail-to:${kind}:${to}`),
      { ...limitOf(deps, 'mailsToAddressDaily', `mail-to-daily:${kind}:${to}`), mayYield: true },
    ],
    stored: [
      { ...limitOf(deps, 'mailsToAddress', `mailbox:${mailboxOf(to)}`), mayYield: true },
      { ...limitOf(deps, 'mailsToAddressDaily', `mailbox-daily:${mailboxOf(to)}`), mayYield: true },
      limitOf(deps, 'mailsInAll', 'mail'),
    ],
  }
}

type LinkKind = 'reset-password' | 'verify-email'

/**
 * For a user who is signed in or has proven the password. Not counted for all users together: strangers with many networks
 * could use that up.
 */
export const ownMailLimits = (deps: Deps, client: Client, to: string): MailLimits =>
  isHeld(deps.config)
    ? { asked: [fromNetwork(deps, 'own-mail', client), ...toAddress(deps, 'own-mail', to)], stored: [] }
    : free

/** A sign-up can name any address, taken or not. */
export const signUpMailLimits = (deps: Deps, client: Client, to: string): MailLimits =>
  isHeld(deps.config)
    ? {
        asked: [fromNetwork(deps, 'sign-up-mail', client), ...toAddress(deps, 'sign-up-mail', to)],
        stored: [limitOf(deps, 'mailsInAll', 'sign-up-mail')],
      }
    : free

/**
 * By inviter, and by network since accounts are quickly made. An inviter who proved no mailbox sends only a few; an
 * organization vouches for its machines.
 */
export function invitationMailLimits(deps: Deps, client: Client, caller: Caller, to: string): MailLimits {
  if (!isHeld(deps.config)) return free
  const { user, provenAddress } = caller
  const byUser = provenAddress || isMachineAddress(user.email) ? 'invitationsByUser' : 'invitationsByUnverified'
  return {
    asked: [
      limitOf(deps, byUser, `invitation-by:${user.id}`),
      limitOf(deps, 'invitationsFromNetwork', `invitation-from:${networkOf(client.address)}`),
      ...toAddress(deps, 'invitation', to),
    ],
    stored: [limitOf(deps, 'invitationsInAll', 'invitation')],
  }
}

/** Several spellings of one mailbox share its limits; they stay different users. */
const mailboxOf = (email: string): string => email.replace(/\+[^@]*@/, '@')

/** One log line for the operator, since the answer says nothing: which kind of mail, which limit; not whose. */
export function logWithheld(
  { log, observer }: Pick<Deps, 'log' | 'observer'>,
  kind: string,
  limit: string | null,
): void {
  if (limit === null) return
  log.warn({ kind, limit }, 'mail withheld')
  observer?.withheld(kind, limit)
}

/** Ways in as people read them, by the ids of their providers; `credential` is a password. */
export const wayNamesOf = ({ providers }: Pick<Deps, 'providers'>, ids: readonly string[]): string[] =>
  ids.map((id) => (id === 'credential' ? 'the password' : (providers.find(id)?.provider.name ?? id)))
