import { hash, randomBytes } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
// The largest multiple of the alphabet's size that a byte can hold: bytes above it would favour the first letters.
const unbiased = 256 - (256 % alphabet.length)

/** Letters and digits, each equally likely: 43 of them are 256 bits. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length)
    for (const byte of randomBytes(length))
      if (byte < unbiased && text.length < length) text += alphabet[byte % alphabet.length]
  return text
}

export const sessionTokenLength = 43

export const createSessionToken = (): string => randomText(sessionTokenLength)

/** What of a secret token is stored: SHA-256 is enough for 128 random bits and more (ASVS 6.5.2). */
export const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer')
