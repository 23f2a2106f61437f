import type { MailKind } from './outbox.ts'

/** What a template gets to write a mail from. */
export interface TemplateFacts {
  readonly kind: MailKind
  readonly to: string
  /** The public address of the service, with its base path. */
  readonly service: string
  /** The recipient's name; empty when unknown. */
  readonly name: string
  /** To open in a browser; null for a notice. */
  readonly url: string | null
  /** To paste into a terminal; null for a notice. */
  readonly token: string | null
  /** Life of the link, in seconds. */
  readonly seconds: number
  /** The address that takes the place of the old one. */
  readonly newEmail: string | null
  /** The way in that was added or taken away, as people read it. */
  readonly provider: string | null
  /** Ways in that ended, since nobody had proved the address with them; as people read them. */
  readonly endedWays: readonly string[]
  /** Of an invitation only; names are made harmless. */
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

/** Writes one kind of mail, within 5 seconds. When it throws, the mail is tried again later. */
export type Template = (facts: TemplateFacts) => MailContent | Promise<MailContent>

/** A whole mail. `id` stays the same over all tries and makes the Message-ID, so that a mailbox can drop a duplicate. */
export interface Message extends MailContent {
  readonly id: string
  readonly to: string
}
