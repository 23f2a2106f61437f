import { isMachineAddress } from '../../shared/email.ts'
import { serviceAddress } from '../../shared/service-address.ts'
import { anyOf, durationText, fill, type Words } from '../languages/words.ts'
import { askingPage, commandAt } from './links.ts'
import type { TemplateFacts } from './message.ts'
import { passwordAlone, passwordWay } from './outbox.ts'

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
  readonly otherwise: readonly string[]
}

/** The text of a mail in one language. */
export function mailTextOf(facts: TemplateFacts, words: Words): MailText {
  const { subject, said, action, otherwise } = words.mail.kinds[textNameOf(facts)]
  const values = valuesOf(facts, words)
  // A paragraph that consists of a place without a value is left out.
  const filled = (texts: readonly string[]) => texts.map((text) => fill(text, values)).filter((text) => text !== '')
  // Where no password can be reset, those who run the service are the ones who can help.
  const fitting = (texts: readonly string[], instead: readonly string[]) =>
    facts.canResetPassword ? texts : texts.flatMap((text) => (text.includes('{forgotPassword}') ? instead : text))
  const hasLink = facts.url !== null
  return {
    subject,
    said: filled(fitting(said, [])),
    action,
    command: commandOf(facts),
    ends: hasLink ? fill(endsOf(facts, words), { duration: durationText(words, facts.seconds) }) : null,
    otherwise: filled(fitting(otherwise, words.mail.kinds['email-changed'].otherwise)),
  }
}

/** The words of a verification mail say what opening its link does. */
function textNameOf({ kind, newEmail, service, url }: TemplateFacts): keyof Words['mail']['kinds'] {
  if (kind !== 'verify-email') return kind
  if (newEmail !== null) return 'verify-new-email'
  return url?.startsWith(`${service}/${askingPage}?`) ? kind : 'verify-email-at-once'
}

const endsOf = ({ kind }: TemplateFacts, { mail }: Words): string =>
  kind === 'invitation' ? mail.invitationEnds : mail.ends

/** Nothing may follow an address directly, because mail programs would include it in the link. */
function valuesOf({ service, to, newEmail, provider, endedWays, invitation }: TemplateFacts, words: Words) {
  const nameOf = (way: string) => (way === passwordWay ? words.mail.thePassword : way)
  return {
    newEmail: newEmail ?? '',
    provider: provider === passwordAlone ? words.mail.yourPassword : (provider ?? ''),
    ended: endedWays.length === 0 ? '' : fill(words.mail.endedWays, { ways: anyOf(words, endedWays.map(nameOf)) }),
    service: serviceAddress(service),
    inviter: inviterOf(invitation),
    organization: invitation?.organizationName ?? '',
    role: invitation?.role ?? '',
    signUp: commandAt(service, `postern sign-up --email ${shellWordOf(to)}`),
    signIn: commandAt(service, 'postern sign-in'),
    forgotPassword: commandAt(service, 'postern account password forgot'),
    removeLink: commandAt(service, 'postern account link remove PROVIDER'),
    listLinks: commandAt(service, 'postern account link list'),
  }
}

/** The command that does the same in a terminal. Null for a notice. */
function commandOf({ kind, service, token, to, invitation }: TemplateFacts): string | null {
  switch (kind) {
    case 'verify-email':
    case 'change-email':
      return commandAt(service, `postern account email verify ${token}`)
    case 'reset-password':
      return commandAt(service, `postern account password reset ${token}`)
    case 'delete-account':
      // Through a pipe, because a token should not be typed where it can be seen. The word that the command asks for is
      // passed along.
      return `echo ${token} | ${commandAt(service, `postern account delete --confirm ${shellWordOf(to)} --token-file -`)}`
    case 'invitation':
      return commandAt(service, `postern invitation accept ${invitation?.id}`)
    default:
      return null
  }
}

/** An address quoted for a shell. Of the characters special to a shell, an address may only hold the apostrophe. */
const shellWordOf = (email: string): string => (email.includes("'") ? `"${email}"` : email)

/** A machine's address is no mailbox: nobody would read a reply. */
const inviterOf = (invitation: TemplateFacts['invitation']): string =>
  invitation && isMachineAddress(invitation.inviterEmail)
    ? invitation.inviterName
    : `${invitation?.inviterName} (${invitation?.inviterEmail})`
