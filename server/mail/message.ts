import type { Language } from '../../shared/languages.ts'
import type { MailKind } from './outbox.ts'

/** What a template gets to write a mail. */
export interface TemplateFacts {
  readonly kind: MailKind
  readonly to: string
  /** The language of the mail, such as `en`. */
  readonly language: Language
  /** The public address of the service, with its base path. */
  readonly service: string
  /** The recipient's name; empty when unknown. */
  readonly name: string
  /** The link to open in a browser. Null for a notice. */
  readonly url: string | null
  /** The token to paste into a terminal. Null for a notice. */
  readonly token: string | null
  /** Lifetime of the link in seconds. */
  readonly seconds: number
  /** The address that replaces the old one. */
  readonly newEmail: string | null
  /** Display name of the sign-in method that was added or removed. */
  readonly provider: string | null
  /** Display names of sign-in methods that ended because nobody had proved the address with them. */
  readonly endedWays: readonly string[]
  /** False where passwords sign nobody in, or none can be reset. */
  readonly canResetPassword: boolean
  /** For invitations only. Names are made harmless. */
  readonly invitation: InvitationFacts | null
}

interface InvitationFacts {
  readonly id: string
  readonly organizationName: string
  readonly inviterName: string
  readonly inviterEmail: string
  readonly role: string
}

export interface MailContent {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Writes one kind of mail within 5 seconds. When it throws, the mail is tried again later. */
export type Template = (facts: TemplateFacts) => MailContent | Promise<MailContent>

/**
 * A whole mail. `id` stays the same over all attempts and becomes the Message-ID, so that a mailbox can drop
 * duplicates.
 */
export interface Message extends MailContent {
  readonly id: string
  readonly to: string
}

/** A mail ready to be sent, with what a reader of the outbox wants to know about it. */
export interface Mail extends Message {
  readonly kind: string
  readonly url: string | null
  readonly token: string | null
  /** Null unless the mail is an invitation. */
  readonly invitationId: string | null
}
