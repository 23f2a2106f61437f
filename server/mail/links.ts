import type { KeyObject } from 'node:crypto'
import { signLinkToken } from '../crypto/link-token.ts'
import type { Letter } from './letter.ts'

/** What a link is made of beside its letter. */
export interface LinkParts {
  /** The configured public address with the base path: a link never depends on a request's headers. */
  readonly base: string
  readonly keys: readonly KeyObject[]
  /** Whom the token belongs to. */
  readonly userId: string | null
  /** Life of the link, in seconds. */
  readonly seconds: number
  readonly now: Date
}

/** The token to paste and the link to open; a notice has neither. */
export interface Link {
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

/** The page that the application named for a link; undefined where it is ours. */
export const callersPage = (callbackURL: string | undefined, base: string): string | undefined =>
  Object.values(landings).some((page) => callbackURL === `${base}/${page}`) ? undefined : callbackURL

export async function linkOf(letter: Letter, parts: LinkParts): Promise<Link | null> {
  if (!('jti' in letter) && !('token' in letter)) return null
  const token = 'jti' in letter ? await jwtOf(letter, parts) : letter.token
  const path = letter.kind === 'reset-password' ? `reset-password/${token}` : pathOf(letter.kind)
  const url = new URL(`${parts.base}/${path}`)
  if (letter.kind !== 'reset-password') url.searchParams.set('token', token)
  url.searchParams.set('callbackURL', letter.callbackURL ?? `${parts.base}/${landings[letter.kind]}`)
  return { token, url: url.href }
}

const pathOf = (kind: 'verify-email' | 'change-email' | 'delete-account'): string =>
  kind === 'delete-account' ? 'delete-user/callback' : 'verify-email'

function jwtOf(letter: Extract<Letter, { jti: string }>, { keys, userId, seconds, now }: LinkParts): Promise<string> {
  if (userId === null) throw new Error(`A ${letter.kind} mail without a user`)
  return signLinkToken(keys, { ...proofOf(letter), jti: letter.jti, userId }, seconds, now)
}

function proofOf(letter: Extract<Letter, { jti: string }>) {
  const { kind, to } = letter
  if (kind === 'change-email') return { purpose: kind, email: to, updateTo: letter.newEmail }
  if (letter.from === undefined) return { purpose: kind, email: to }
  return { purpose: 'new-email', email: letter.from, updateTo: to } as const
}
