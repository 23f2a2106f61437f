import type { Mail } from './compose.ts'

/** What carries mails away. */
export interface Transport {
  /** Resolves when somebody else answers for the mail. Throws SendFailure, or anything, which counts as temporary. */
  send(mail: Mail): Promise<void>
  /** Mails stay in the outbox, to be read there. */
  readonly keeps: boolean
  /** Ends what is in flight too. */
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
