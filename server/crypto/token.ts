import { hash, randomBytes } from 'node:crypto'
import { checksumOf, keyPrefix, lettersAndDigits, secretLength } from '../../shared/key-text.ts'

const digitsAndLowerCase = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Returns random characters of the alphabet, each equally likely: 43 letters and digits are 256 bits. */
export function randomText(length: number, alphabet = lettersAndDigits): string {
  // The largest multiple of the alphabet's size that a byte can hold. Bytes above it are skipped, or they would favour
  // the first letters.
  const unbiased = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length)
    for (const byte of randomBytes(length))
      if (byte < unbiased && text.length < length) text += alphabet[byte % alphabet.length]
  return text
}

export const sessionTokenLength = 43

export const createSessionToken = (): string => randomText(sessionTokenLength)

/** 24 letters and digits are 142 bits. */
export const createResetToken = (): string => randomText(24)

/** 32 digits and lower-case letters are 165 bits. */
export const createDeleteToken = (): string => randomText(32, digitsAndLowerCase)

const consonants = 'BCDFGHJKLMNPQRSTVWXZ'
const userCode = new RegExp(`^[${consonants}]{8}$`)

/**
 * Eight consonants, which spell no word (RFC 8628, 6.1): 34.6 bits, enough for a code that lives for minutes and allows
 * few tries.
 */
export const createUserCode = (): string => randomText(8, consonants)

/** Of a typed user code, with the signs around it. To normalise 30,000 combining marks would take seconds. */
const longestTyped = 64

/** The letters of a typed or pasted user code, in any case, whatever signs are around them. Null when it cannot be one. */
export function parseUserCode(text: string): string | null {
  if (text.length > longestTyped) return null
  const letters = text
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()
  return userCode.test(letters) ? letters : null
}

/** The stored form of a secret token. SHA-256 is enough for 128 random bits or more (OWASP ASVS). */
export const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer')

/** The same as text, for keys, cookies and links. */
export const digestTextOf = (token: string): string => hash('sha256', token, 'base64url')

/** Creates a new API key. */
export function createMachineKey(): string {
  const secret = randomText(secretLength)
  return `${keyPrefix}${secret}${checksumOf(secret)}`
}

/** The last characters, by which people recognise their keys. */
export const keyHintOf = (key: string): string => key.slice(-4)
