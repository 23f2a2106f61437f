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
