import { v7 as uuid } from 'uuid'
import type { Sealer } from '../crypto/sealer.ts'
import type { Letter } from './letter.ts'

/** A letter as the outbox keeps it. */
export interface SealedLetter {
  readonly id: string
  readonly kind: string
  readonly payload: Buffer
}

/** Encrypts the mails of use cases, to be stored by the statement that they belong to. */
export interface Mailbox {
  seal(letter: Letter): SealedLetter
  /** Tells the dispatcher that there is something to send; nobody waits for it. */
  nudge(): void
}

export const createMailbox = (sealer: Sealer, nudge: () => void): Mailbox => ({
  seal(letter) {
    const id = uuid()
    return { id, kind: letter.kind, payload: sealer.seal(JSON.stringify(letter), id) }
  },
  nudge,
})
