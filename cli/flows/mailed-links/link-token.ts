import { isEmail } from '../../../shared/email.ts'
import { parseJson } from '../../client/json.ts'
import { type CliError, usageError } from '../../output/cli-error.ts'

/** The purpose of a mailed link. */
export type LinkPurpose = 'verify' | 'reset' | 'delete'

/** The paths of links in our mails, below the base path, and the command for each. */
const links: readonly { readonly purpose: LinkPurpose; readonly path: RegExp; readonly command: string }[] = [
  { purpose: 'verify', path: /^(?:page\/)?verify-email$/, command: 'postern account email verify LINK' },
  { purpose: 'reset', path: /^reset-password\/([^/]+)$/, command: 'postern account password reset LINK' },
  { purpose: 'reset', path: /^page\/reset-password$/, command: 'postern account password reset LINK' },
  { purpose: 'delete', path: /^delete-user\/callback$/, command: 'postern account delete --token-file -' },
]

interface MailedToken {
  readonly token: string
  /** The purpose of the link; a bare token does not reveal it. */
  readonly purpose: LinkPurpose | undefined
}

/** The token for this purpose, from a whole link or by itself. Exit 2, like `readMailedToken`. */
export function tokenFrom(text: string, purpose: LinkPurpose, base: string): string {
  const found = readMailedToken(text, base)
  if (found.purpose === undefined || found.purpose === purpose) return found.token
  const command = links.find((one) => one.purpose === found.purpose)?.command
  throw usageError('This link is for another command', command)
}

/**
 * Exit 2 for a link of another service than `base`, or for text that is neither a link nor a token. No message repeats
 * the token.
 */
function readMailedToken(text: string, base: string): MailedToken {
  const word = text
    .trim()
    .replace(/^<(.*)>$/s, '$1')
    .trim()
  return /^[a-z][a-z+.-]*:/i.test(word) ? readLink(unbroken(word), base) : { token: checked(word), purpose: undefined }
}

/** A link contains no spaces: any come from line breaks in the mail. */
const unbroken = (link: string): string => link.replaceAll(/\s/g, '')

/** The claims of a verification token (exit 2 without them). Unverified: only good for choosing a jar. */
export function claimsOf(token: string): { readonly email: string; readonly isChange: boolean } {
  const { email, updateTo } = payloadOf(token)
  if (typeof email === 'string' && isEmail(email)) return { email, isChange: updateTo !== undefined }
  throw usageError('This is not the token of a mail that verifies an address', 'postern account email verify --send')
}

function payloadOf(token: string): Record<string, unknown> {
  try {
    return Object(parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()))
  } catch {
    return {}
  }
}

function readLink(word: string, base: string): MailedToken {
  const url = URL.canParse(word) ? new URL(word) : undefined
  if (!url) throw neither()
  const path = pathBelow(base, url)
  const link = links.find((one) => one.path.test(path))
  if (!link) throw usageError('This link does not come from a mail of the service', 'Copy the whole link from the mail')
  const token = checked(decoded(link.path.exec(path)?.[1]) ?? url.searchParams.get('token') ?? '')
  return { token, purpose: link.purpose }
}

function pathBelow(base: string, { origin, pathname }: URL): string {
  const here = new URL(base)
  if (origin === here.origin && pathname.startsWith(`${here.pathname}/`))
    return pathname.slice(here.pathname.length + 1)
  throw usageError(
    `This link is of another service: it leads to ${origin}, not to ${base}`,
    'Name the service that sent the mail: --url or --profile',
    ['--url'],
  )
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** Opaque tokens have 24 characters or more; a JWT has two dots. */
function checked(token: string): string {
  if (/^[\w.-]{16,4096}$/.test(token)) return token
  throw neither()
}

const neither = (): CliError =>
  usageError(
    'This is neither a link nor a token from a mail',
    'Copy the whole link from the mail, in quotes; - reads it from stdin',
  )
