import { v7 as uuid } from 'uuid'
import { digestOf, randomText } from '../crypto/token.ts'
import type { MailLimits, NewLink, Notice } from '../db/links.ts'
import type { Deps } from '../deps.ts'
import type { MailPayload } from '../mail/payload.ts'

/** What a verification row is looked up by: its purpose, then the digest of the token. */
export const identifierOf = {
  'reset-password': (token: string) => `reset-password:${hashOf(token)}`,
  'delete-account': (token: string) => `delete-account-${hashOf(token)}`,
  'verify-email': (jti: string) => `verify-email:${hashOf(jti)}`,
  'change-email': (jti: string) => `change-email:${hashOf(jti)}`,
  'new-email': (jti: string) => `new-email:${hashOf(jti)}`,
} as const

const hashOf = (token: string): string => digestOf(token).toString('base64url')

interface Parts {
  readonly payload: MailPayload
  readonly identifier: string
  readonly value: string | null
  readonly seconds: number
}

const linkOf = (deps: Deps, mailLimits: MailLimits, { payload, identifier, value, seconds }: Parts): NewLink => ({
  id: uuid(),
  identifier,
  value,
  seconds,
  mail: deps.outbox.seal(payload),
  mailLimits,
})

/** Of an address that the user then has. */
const addressLinkOf = (deps: Deps, mailLimits: MailLimits, parts: Omit<Parts, 'seconds'>): NewLink =>
  linkOf(deps, mailLimits, { ...parts, seconds: deps.config.EMAIL_VERIFICATION_EXPIRES_IN })

/** A link to the address that it verifies. */
export function verificationLink(deps: Deps, mailLimits: MailLimits, to: string, callbackURL?: string): NewLink {
  const jti = randomText(32)
  const payload = { kind: 'verify-email', to, jti, callbackURL } as const
  return addressLinkOf(deps, mailLimits, { payload, identifier: identifierOf['verify-email'](jti), value: to })
}

export interface NewAddress {
  /** The old address, which has to agree to the new one. */
  readonly from: string
  readonly to: string
  readonly callbackURL: string | undefined
}

/** A link to the new address; opening it replaces the old one. */
export function newAddressLink(deps: Deps, mailLimits: MailLimits, { from, to, callbackURL }: NewAddress): NewLink {
  const jti = randomText(32)
  const payload = { kind: 'verify-email', to, jti, from, callbackURL } as const
  return addressLinkOf(deps, mailLimits, { payload, identifier: identifierOf['new-email'](jti), value: to })
}

/** A link to the old address, by which it agrees to the new one. */
export function changeLink(deps: Deps, mailLimits: MailLimits, { from, to, callbackURL }: NewAddress): NewLink {
  const jti = randomText(32)
  const payload = { kind: 'change-email', to: from, jti, newEmail: to, callbackURL } as const
  return addressLinkOf(deps, mailLimits, { payload, identifier: identifierOf['change-email'](jti), value: to })
}

/** A link whose token is a random text. */
export function tokenLink(
  deps: Deps,
  mailLimits: MailLimits,
  payload: Extract<MailPayload, { kind: 'reset-password' | 'delete-account' }>,
): NewLink {
  const { RESET_PASSWORD_EXPIRES_IN, DELETE_TOKEN_EXPIRES_IN } = deps.config
  const seconds = payload.kind === 'reset-password' ? RESET_PASSWORD_EXPIRES_IN : DELETE_TOKEN_EXPIRES_IN
  return linkOf(deps, mailLimits, {
    payload,
    identifier: identifierOf[payload.kind](payload.token),
    value: null,
    seconds,
  })
}

/** A mail without a link that anybody can cause: it counts like any other. */
export const noticeOf = ({ outbox }: Deps, mailLimits: MailLimits, payload: MailPayload): Notice => ({
  mail: outbox.seal(payload),
  mailLimits,
})

/** Tells an owner what was changed with their secret. Never withheld: a flood of other mails could hide it. */
export const alertOf = (deps: Deps, payload: MailPayload): Notice => noticeOf(deps, { asked: [], stored: [] }, payload)
