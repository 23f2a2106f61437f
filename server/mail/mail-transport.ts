import type { Mail } from './compose.ts'

/** A way to send mails. */
export interface MailTransport {
  /** Resolves when another server has taken the mail. Throws SendFailure; any other error counts as temporary. */
  send(mail: Mail): Promise<void>
  /** Whether mails stay in the outbox, to be read there. */
  readonly keeps: boolean
  /** Also ends a mail that is being sent. */
  close(): void
}

/** A mail that was not taken. Its message holds no address and no token. */
export class SendFailure extends Error {
  override readonly name = 'SendFailure'
  /** The same mail will never be taken: trying again does not help. */
  readonly isPermanent: boolean
  constructor(message: string, isPermanent: boolean) {
    super(message)
    this.isPermanent = isPermanent
  }
}
