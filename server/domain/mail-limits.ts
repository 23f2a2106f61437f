import { isMachineAddress } from '../../shared/email.ts'
import type { Config } from '../config.ts'
import type { MailLimits } from '../db/links.ts'
import type { Deps } from '../deps.ts'
import { networkOf } from '../limits/ip-address.ts'
import type { Caller, Client } from '../request/client.ts'
import { deviceOf } from './known-device.ts'
import { limitOf } from './limits.ts'

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
