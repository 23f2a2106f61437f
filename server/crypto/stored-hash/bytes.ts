import { timingSafeEqual } from 'node:crypto'

/**
 * Decodes Base64 with or without padding; also the variant of passlib, with `.` for `+`. Null for any other spelling.
 */
export function bytesOfBase64(text: string): Buffer | null {
  const usual = text.replaceAll('.', '+').replace(/=+$/, '')
  const bytes = Buffer.from(usual, 'base64')
  return bytes.toString('base64').replace(/=+$/, '') === usual ? bytes : null
}

/** Base64 without padding, as in the PHC string format. */
export const unpaddedBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

export const areEqual = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other)
