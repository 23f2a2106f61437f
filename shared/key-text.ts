/** What every machine's key begins with, so that scanners of secrets find one wherever it was left. */
export const keyPrefix = 'pst_'

/** 43 letters and digits are 256 bits; then six that anybody can check without asking the service. */
export const secretLength = 43
const checksumLength = 6
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const shape = new RegExp(`^${keyPrefix}[A-Za-z0-9]{${secretLength + checksumLength}}$`)

/** Whether a text can be a key at all: a mistyped or an invented one is told by its checksum, without any look-up. */
export function isMachineKey(text: string): boolean {
  if (!shape.test(text)) return false
  const end = keyPrefix.length + secretLength
  return text.slice(end) === checksumOf(text.slice(keyPrefix.length, end))
}

/** Whether a text means to be one. */
export const isLikeMachineKey = (text: string): boolean => text.startsWith(keyPrefix)

/** CRC-32 in base 62, as the tokens of GitHub have it. */
export function checksumOf(secret: string): string {
  const signs: string[] = []
  for (let rest = crc32(secret), place = 0; place < checksumLength; place += 1, rest = Math.floor(rest / digits.length))
    signs.unshift(digits.charAt(rest % digits.length))
  return signs.join('')
}

/** Of ASCII (ISO 3309): this file is for both sides of the wire, and imports nothing of either. */
function crc32(text: string): number {
  let sum = 0xff_ff_ff_ff
  for (const sign of text) {
    sum ^= sign.charCodeAt(0)
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xed_b8_83_20 : 0)
  }
  return (sum ^ 0xff_ff_ff_ff) >>> 0
}

const ruleId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Whether it is said for whom a job means to act: anybody may have a rule that takes its token, under any name, so only an
 * organization, or the id of one rule, tells that apart.
 */
export const isSaidForWhom = ({
  organization,
  trust,
}: {
  organization?: string | undefined
  trust?: string | undefined
}) => Boolean(organization) || ruleId.test(trust ?? '')

/** The words of a token exchange (RFC 8693). */
export const exchangeGrantType = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'
/** What may be exchanged: an id token is a JWT, and its callers name it either way. */
export const subjectTokenTypes = [
  'urn:ietf:params:oauth:token-type:id_token',
  'urn:ietf:params:oauth:token-type:jwt',
] as const
