import { v7 as uuid } from 'uuid'
import type { Sealer } from '../crypto/sealer.ts'
import type { MailPayload } from './payload.ts'

/** A mail as the outbox stores it: its payload encrypted. */
export interface SealedMail {
  readonly id: string
  readonly kind: string
  readonly payload: Buffer
}

/** Encrypts the mails of use cases, to be stored by the statement that they belong to. */
export interface Outbox {
  seal(payload: MailPayload): SealedMail
  /** Tells the dispatcher that there is something to send; nobody waits for it. */
  nudge(): void
}

export const createOutbox = (sealer: Sealer, nudge: () => void): Outbox => ({
  seal(payload) {
    const id = uuid()
    return { id, kind: payload.kind, payload: sealer.seal(JSON.stringify(payload), id) }
  },
  nudge,
})
