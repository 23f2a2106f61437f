/** The prefix of every API key, by which secret scanners find leaked ones. */
export const keyPrefix = 'pst_'

/** 43 letters and digits are 256 bits. Six more are a checksum that needs no call to the service. */
export const secretLength = 43
const checksumLength = 6
export const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const shape = new RegExp(`^${keyPrefix}[A-Za-z0-9]{${secretLength + checksumLength}}$`)

/** Returns whether a text can be a key. The checksum catches typos and invented keys without a look-up. */
export function isMachineKey(text: string): boolean {
  if (!shape.test(text)) return false
  const end = keyPrefix.length + secretLength
  return text.slice(end) === checksumOf(text.slice(keyPrefix.length, end))
}

/** Returns whether a text is meant to be a key. */
export const looksLikeMachineKey = (text: string): boolean => text.startsWith(keyPrefix)

/** CRC-32 in base 62, like GitHub's tokens. */
export function checksumOf(secret: string): string {
  const signs: string[] = []
  const base = lettersAndDigits.length
  for (let rest = crc32(secret), place = 0; place < checksumLength; place += 1, rest = Math.floor(rest / base))
    signs.unshift(lettersAndDigits.charAt(rest % base))
  return signs.join('')
}

/**
 * CRC-32 of ASCII text (ISO 3309). Implemented here, since both sides of the wire use this file and it imports nothing.
 */
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
 * Returns whether the request names the organization that a job means to act for. Anybody can create a rule with any
 * name that accepts its token, so only an organization or a rule's id is unambiguous.
 */
export const namesOrganizationOrRule = ({
  organization,
  trust,
}: {
  organization?: string | undefined
  trust?: string | undefined
}) => Boolean(organization) || ruleId.test(trust ?? '')

/** The identifiers of a token exchange (RFC 8693). */
export const exchangeGrantType = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'
/** The token types that can be exchanged. An id token is a JWT, and clients name it either way. */
export const subjectTokenTypes = [
  'urn:ietf:params:oauth:token-type:id_token',
  'urn:ietf:params:oauth:token-type:jwt',
] as const
