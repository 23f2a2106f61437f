import type { KeyObject } from 'node:crypto'
import { knownLanguage, type Language } from '../../shared/languages.ts'
import { defaultApiPath, serviceAddress } from '../../shared/service-address.ts'
import type { Config } from '../config.ts'
import { signLinkToken } from '../crypto/link-token.ts'
import { invitationUrlOf } from '../settings/invitation-url.ts'
import type { MailPayload } from './outbox.ts'

/** What a link needs besides the mail's payload. */
export interface MailLinkOptions {
  /** The configured public address with the base path. A link never depends on a request's headers. */
  readonly base: string
  readonly keys: readonly KeyObject[]
  /** The user whom the token belongs to. */
  readonly userId: string | null
  /** Lifetime of the link in seconds. */
  readonly seconds: number
  readonly now: Date
  /** The language of our page. Null: the one that the browser asks for. */
  readonly language: Language | null
  /** Whether a verification link leads to our page, which questions any browser but the one that signed up. */
  readonly isByPage: boolean
}

/** The token to paste and the link to open. A notice has neither. */
export interface MailLink {
  readonly token: string
  readonly url: string
}

/** Our own pages, where links lead when the application named none. */
const landings = {
  'verify-email': 'page/verified',
  'change-email': 'page/email-changed',
  'reset-password': 'page/reset-password',
  'delete-account': 'page/deleted',
} as const

/** The page that the application named for a link. Undefined when it is one of ours. */
export const applicationPageOf = (callbackURL: string | undefined, base: string): string | undefined =>
  Object.values(landings).some((page) => callbackURL?.split('?')[0] === `${base}/${page}`) ? undefined : callbackURL

export async function createMailLink(payload: MailPayload, parts: MailLinkOptions): Promise<MailLink | null> {
  if (!('jti' in payload) && !('token' in payload)) return null
  const token = 'jti' in payload ? await jwtOf(payload, parts) : payload.token
  const path = payload.kind === 'reset-password' ? `reset-password/${token}` : pathOf(payload, parts)
  const url = new URL(`${parts.base}/${path}`)
  if (payload.kind !== 'reset-password') url.searchParams.set('token', token)
  url.searchParams.set('callbackURL', payload.callbackURL ?? landingOf(payload, parts))
  return { token, url: url.href }
}

const landingOf = ({ kind }: { kind: keyof typeof landings }, { base, language }: MailLinkOptions): string =>
  inLanguage(`${base}/${landings[kind]}`, language)

/** A page of ours in this language. */
export const inLanguage = (page: string, language: string | null | undefined): string =>
  knownLanguage(language) ? `${page}?lang=${language}` : page

/**
 * Where to answer an invitation: at the application, or else on our page. It has no token: the recipient has to prove
 * the invited address.
 */
export const invitationPage = (base: string, application: string | undefined, id: string): string => {
  if (application !== undefined) return invitationUrlOf(application, id)
  const url = new URL(`${base}/page/invitation`)
  url.searchParams.set('id', id)
  return url.href
}

/** Asks any browser but the one that signed up. */
export const askingPage = 'page/verify-email'

function pathOf(payload: MailPayload, { isByPage }: MailLinkOptions): string {
  if (payload.kind === 'delete-account') return 'delete-user/callback'
  const verifiesOnly = payload.kind === 'verify-email' && payload.from === undefined
  return verifiesOnly && isByPage ? askingPage : 'verify-email'
}

function jwtOf(
  payload: Extract<MailPayload, { jti: string }>,
  { keys, userId, seconds, now }: MailLinkOptions,
): Promise<string> {
  if (userId === null) throw new Error(`A ${payload.kind} mail without a user`)
  return signLinkToken(keys, { ...proofOf(payload), jti: payload.jti, userId }, seconds, now)
}

function proofOf(payload: Extract<MailPayload, { jti: string }>) {
  const { kind, to } = payload
  if (kind === 'change-email') return { purpose: kind, email: to, updateTo: payload.newEmail }
  if (payload.from === undefined) return { purpose: kind, email: to }
  return { purpose: 'new-email', email: payload.from, updateTo: to } as const
}

/** The command line's default address, which needs no flag. */
const defaultAddress = `http://localhost:4100${defaultApiPath}`

/** The public address of the API, without a trailing slash. */
export const serviceBaseOf = ({ BASE_URL, BASE_PATH }: Pick<Config, 'BASE_URL' | 'BASE_PATH'>): string =>
  `${BASE_URL.origin}${BASE_PATH}`

/** A command line that works wherever it is pasted. */
export const commandAt = (base: string, line: string): string =>
  base === defaultAddress ? line : `${line} --url ${serviceAddress(base)}`
