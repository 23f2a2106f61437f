import * as z from 'zod'
import { type Language, languages } from '../../shared/languages.ts'
import { newId } from '../crypto/id.ts'
import type { Sealer } from '../crypto/sealer.ts'

/** The password's name among those of sign-in methods, and alone. Our own texts say both in the mail's language. */
export const passwordWay = 'the password'
export const passwordAlone = 'Your password'

const to = z.string()
const callbackURL = z.string().optional()

/**
 * A mail's content as stored, encrypted, in the outbox. Its link is made when it is sent, so that the link's life
 * starts then. `to` is one canonical address, never text that a mailer parses.
 */
export const MailPayload = z.discriminatedUnion('kind', [
  /** `from`: the user's present address, which `to` replaces when the link is opened. */
  z.object({ kind: z.literal('verify-email'), to, jti: z.string(), from: z.string().optional(), callbackURL }),
  z.object({ kind: z.literal('change-email'), to, jti: z.string(), newEmail: z.string(), callbackURL }),
  z.object({ kind: z.literal('reset-password'), to, token: z.string(), callbackURL }),
  z.object({ kind: z.literal('delete-account'), to, token: z.string(), callbackURL }),
  z.object({ kind: z.literal('email-changed'), to, newEmail: z.string() }),
  /** `ended`: linked accounts that ended with the change, because their users had not proved the mailbox. */
  z.object({ kind: z.literal('password-changed'), to, ended: z.array(z.string()).optional() }),
  /** `ways`: display names of sign-in methods. */
  z.object({ kind: z.literal('unproven-sign-ins-ended'), to, ways: z.array(z.string()) }),
  /** `provider`: its display name. */
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
    /** Lifetime of the invitation in seconds, from when the payload was written. */
    seconds: z.number(),
  }),
])
export type MailPayload = z.output<typeof MailPayload>

/** Null or absent: the language of the service. */
export const MailLanguage = z.object({ language: z.enum(languages).nullish() })

export type MailKind = MailPayload['kind']

/** A mail as the outbox stores it, with its payload encrypted. */
export interface SealedMail {
  readonly id: string
  readonly kind: string
  readonly payload: Buffer
}

/** Encrypts the mails of use cases. The use case's own statement stores them. */
export interface Outbox {
  /** `language`: in which the mail is written; null for that of the service. */
  seal(payload: MailPayload, language: Language | null): SealedMail
  /** Tells the dispatcher that there is something to send, without waiting. */
  nudge(): void
}

export const createOutbox = (sealer: Sealer, nudge: () => void): Outbox => ({
  seal(payload, language) {
    const id = newId()
    return { id, kind: payload.kind, payload: sealer.seal(JSON.stringify({ ...payload, language }), id) }
  },
  nudge,
})
