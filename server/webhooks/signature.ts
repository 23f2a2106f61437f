import { createHmac } from 'node:crypto'

/** What a receiver verifies, as Standard Webhooks 1.0.0 says. */
export interface SignedMessage {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly body: string
}

/** The headers of a message. Each secret signs it, so that a receiver can verify by either during a rotation. */
export const signedHeaders = (secrets: readonly string[], message: SignedMessage) => ({
  'content-type': 'application/json',
  'webhook-id': message.id,
  'webhook-timestamp': String(message.timestamp),
  'webhook-signature': secrets.map((secret) => `v1,${signatureOf(secret, message)}`).join(' '),
})

const signatureOf = (secret: string, { id, timestamp, body }: SignedMessage): string =>
  createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64')
