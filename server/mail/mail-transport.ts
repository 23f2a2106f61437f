import type { Mail } from './message.ts'

/**
 * Milliseconds for one mail. A server that looks through a mail before it answers takes up to a minute, and a mail whose
 * answer nobody waits for is sent again.
 */
export const longestSend = 75_000

/** Seconds for which a mail belongs to the process that claimed it. Longer than any sending takes. */
export const mailLease = (2 * longestSend) / 1000

export interface MailTransport {
  /** Resolves when the mail server has accepted the mail. Throws SendFailure; any other error counts as temporary. */
  send(mail: Mail): Promise<void>
  /** Connects and signs in, but sends nothing. Missing where only a mail can show whether it works. */
  verify?(): Promise<void>
  /** Whether mails stay in the outbox, where they can be read. */
  readonly keeps: boolean
  /** Also aborts a mail that is being sent. */
  close(): void
}

/** A mail that was not accepted. Its message holds no address and no token. */
export class SendFailure extends Error {
  override readonly name = 'SendFailure'
  /** The mail will never be accepted, so trying again does not help. */
  readonly isPermanent: boolean
  constructor(message: string, isPermanent: boolean) {
    super(message)
    this.isPermanent = isPermanent
  }
}
