import { isMachineAddress } from '../../shared/email.ts'
import { serviceAddress } from '../../shared/service-address.ts'
import { commandAt } from './links.ts'
import type { TemplateFacts } from './message.ts'
import type { MailKind } from './outbox.ts'

/** The text of one kind of mail. All kinds share the layout. */
export interface MailText {
  /** Never contains text that somebody typed. */
  readonly subject: string
  /** What happened, one paragraph each. */
  readonly said: readonly string[]
  /** Label of the button. */
  readonly action: string
  /** The command that does the same in a terminal, ready to be pasted. */
  readonly command: string | null
  /** When the link expires. */
  readonly ends: string | null
  /** What to do when it was somebody else. */
  readonly otherwise: string | readonly string[]
}

const ignore = 'If it was not you, ignore this mail: nothing changes.'

const notice = { action: '', command: null, ends: null }

/** Anybody may have added those sign-in methods. */
const endedSentence = (ways: readonly string[]): readonly string[] =>
  ways.length === 0
    ? []
    : [
        `This address was never confirmed for sign-in with ${ways.join(' or ')}, so that no longer works, and sessions started that way have ended.`,
      ]

const texts: Readonly<Record<MailKind, (facts: TemplateFacts) => MailText>> = {
  'verify-email': (facts) => ({
    subject: 'Verify your email address',
    said: [
      'An account was created or changed with this address. Confirm that the address is yours.',
      'Open the link in the browser where you signed up. Another browser first asks whether it was you.',
    ],
    action: 'Verify this address',
    command: commandAt(facts.service, `postern account email verify ${facts.token}`),
    ends: expirySentence(facts),
    otherwise: 'If it was not you, open the link anyway: the page can remove the sign-up or give you the account.',
  }),
  'change-email': (facts) => ({
    subject: 'Confirm the new address of your account',
    said: [
      `Somebody who is signed in to your account asked to change its address to ${facts.newEmail}.`,
      'Confirm it only if that was you. The new address then has to be verified too.',
    ],
    action: 'Change the address',
    command: commandAt(facts.service, `postern account email verify ${facts.token}`),
    ends: expirySentence(facts),
    otherwise:
      'If it was not you, do not open the link. Set a new password, because somebody else is signed in to your account.',
  }),
  'reset-password': (facts) => ({
    subject: 'Set a new password',
    said: ['Somebody asked for a new password for your account.'],
    action: 'Set a new password',
    command: commandAt(facts.service, `postern account password reset ${facts.token}`),
    ends: expirySentence(facts),
    otherwise: ignore,
  }),
  'delete-account': (facts) => ({
    subject: 'Confirm the deletion of your account',
    said: [
      'Somebody who is signed in to your account asked to delete it, with everything that belongs to it. This cannot be undone.',
      'The link works only in a browser where you are signed in.',
    ],
    action: 'Delete my account',
    // Through a pipe, because a token should not be typed where it can be seen. The word that the command asks for is
    // passed along.
    command: `echo ${facts.token} | ${commandAt(facts.service, `postern account delete --confirm ${shellWordOf(facts.to)} --token-file -`)}`,
    ends: expirySentence(facts),
    otherwise:
      'If it was not you, do not open the link. Set a new password, because somebody else is signed in to your account.',
  }),
  'email-changed': (facts) => ({
    ...notice,
    subject: 'The address of your account was changed',
    said: [`Your account now has the address ${facts.newEmail}. This address no longer signs you in.`],
    otherwise:
      'If it was not you, tell the people who run this service at once: somebody else has taken over your account.',
  }),
  'password-changed': ({ service, endedWays }) => ({
    ...notice,
    subject: 'Your password was changed',
    said: ['The password of your account was changed.', ...endedSentence(endedWays)],
    otherwise: `If it was not you, set a new password at once: ${forgotPasswordCommand(service)}`,
  }),
  'account-linked': ({ service, provider }) => ({
    ...notice,
    subject: 'A way to sign in was added to your account',
    said: [`${provider} now signs you in to your account.`],
    // A new password alone would leave the stranger's sign-in method in place.
    otherwise: [
      `If it was not you, set a new password at once, which signs everybody out: ${forgotPasswordCommand(service)}`,
      'A new password does not remove this way to sign in. Remove it with postern account link remove',
      `To list your linked accounts: ${commandAt(service, 'postern account link list')}`,
    ],
  }),
  'account-unlinked': ({ service, provider }) => ({
    ...notice,
    subject: 'A way to sign in was removed from your account',
    said: [`${provider} no longer signs you in to your account.`],
    otherwise: `If it was not you, set a new password at once, which signs everybody out: ${forgotPasswordCommand(service)}`,
  }),
  'unproven-sign-ins-ended': ({ service, endedWays }) => ({
    ...notice,
    subject: 'Other ways to sign in to your account ended',
    said: [
      'You signed in with an account that proves this address is yours.',
      ...endedSentence(endedWays),
      'If they were yours, nothing else is lost: set a password again, or link the account again.',
    ],
    otherwise: `If it was not you who signed in, set a new password at once: ${forgotPasswordCommand(service)}`,
  }),
  'sign-up-again': ({ service }) => ({
    ...notice,
    subject: 'You already have an account',
    said: [
      'Somebody tried to sign up with this address, or to move an account to it. It already has an account, so nothing was changed.',
      `If it was you, sign in: ${commandAt(service, 'postern sign-in')}`,
      `Forgot your password? ${forgotPasswordCommand(service)}`,
    ],
    otherwise: ignore,
  }),
  invitation: ({ service, to, invitation, seconds }) => ({
    subject: 'You are invited to an organization',
    said: [
      `${inviterOf(invitation)} invites you to ${invitation?.organizationName} as ${invitation?.role}.`,
      // Nothing may follow an address directly, because mail programs would include it in the link.
      `The organization is hosted at ${serviceAddress(service)}`,
      'First sign in there with this address, or sign up:',
      commandAt(service, `postern sign-up --email ${shellWordOf(to)}`),
    ],
    action: 'How to accept',
    command: commandAt(service, `postern invitation accept ${invitation?.id}`),
    ends: `The invitation expires ${durationText(seconds)} after it was sent.`,
    otherwise: 'If this invitation was not meant for you, ignore this mail: nothing changes.',
  }),
}

const forgotPasswordCommand = (service: string): string => commandAt(service, 'postern account password forgot')

/** An address quoted for a shell. Of the characters special to a shell, an address may only hold the apostrophe. */
const shellWordOf = (email: string): string => (email.includes("'") ? `"${email}"` : email)

/** A machine's address is no mailbox: nobody would read a reply. */
const inviterOf = (invitation: TemplateFacts['invitation']): string =>
  invitation && isMachineAddress(invitation.inviterEmail)
    ? invitation.inviterName
    : `${invitation?.inviterName} (${invitation?.inviterEmail})`

export const mailTextOf = (facts: TemplateFacts): MailText => texts[facts.kind](facts)

const expirySentence = ({ seconds }: TemplateFacts): string =>
  `The link works once and expires ${durationText(seconds)} after this mail was sent.`

const units = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

/** `1 hour`, `90 minutes`: the largest unit that is exact. */
function durationText(seconds: number): string {
  const [size, unit] = units.find(([length]) => seconds >= length && seconds % length === 0) ?? [1, 'second']
  const count = seconds / size
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
