import { v7 as uuid } from 'uuid'
import * as z from 'zod'
import type { Sealer } from '../crypto/sealer.ts'

const to = z.string()
const callbackURL = z.string().optional()

/**
 * What a mail shall say, as it lies encrypted in the outbox. Its link is made from it when it is sent, so that the link's
 * life counts from then. `to` is one canonical address, never text that a mailer parses.
 */
export const MailPayload = z.discriminatedUnion('kind', [
  /** `from`: the present address of the user, in whose place `to` comes by the link. */
  z.object({ kind: z.literal('verify-email'), to, jti: z.string(), from: z.string().optional(), callbackURL }),
  z.object({ kind: z.literal('change-email'), to, jti: z.string(), newEmail: z.string(), callbackURL }),
  z.object({ kind: z.literal('reset-password'), to, token: z.string(), callbackURL }),
  z.object({ kind: z.literal('delete-account'), to, token: z.string(), callbackURL }),
  z.object({ kind: z.literal('email-changed'), to, newEmail: z.string() }),
  /** `ended`: linked accounts that ended with it, since nobody who used them had proved the mailbox. */
  z.object({ kind: z.literal('password-changed'), to, ended: z.array(z.string()).optional() }),
  /** `ways`: as people read them. */
  z.object({ kind: z.literal('unproven-sign-ins-ended'), to, ways: z.array(z.string()) }),
  /** `provider`: as people read it. */
  z.object({ kind: z.literal('account-linked'), to, provider: z.string() }),
  z.object({ kind: z.literal('account-unlinked'), to, provider: z.string() }),
  z.object({ kind: z.literal('sign-up-again'), to }),
  z.object({
    kind: z.literal('invitation'),
    to,
    invitationId: z.string(),
    organizationName: z.string(),
    inviterName: z.string(),
    inviterEmail: z.string(),
    role: z.string(),
    /** Life of the invitation when the payload was written, in seconds. */
    seconds: z.number(),
  }),
])
export type MailPayload = z.output<typeof MailPayload>
export type MailKind = MailPayload['kind']

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
