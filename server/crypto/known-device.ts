import { decodeMac, type Signer } from './keys.ts'
import { digestTextOf, randomText } from './token.ts'

/** The content of a known-device cookie: proof that this device signed in to the address with its password before. */
export interface KnownDevice {
  /** Random. It only distinguishes devices. */
  readonly nonce: string
  /** Fingerprint of the stored hash at that time: after a password change the device is unknown. */
  readonly fingerprint: string
}

/** Limit on cookies of this name that are checked, since a page on a neighbouring domain could set many. */
const maxMarks = 4
const markPattern = /^([A-Za-z0-9]{22})\.([\w-]{22})\.([\w-]{43})$/

/**
 * Creates the cookie value. It names nobody, signs nobody in, and counts for this address alone (OWASP, Slow Down
 * Online Guessing Attacks with Device Cookies).
 */
export function createDeviceMark(signer: Signer, email: string, hash: string, nonce = randomText(22)): string {
  return signMark(signer, email, { nonce, fingerprint: fingerprintOf(hash) })
}

const signMark = (signer: Signer, email: string, device: KnownDevice): string =>
  `${device.nonce}.${device.fingerprint}.${signer.sign(textOf(email, device)).toString('base64url')}`

/** The first of the marks that was made for the address; null when there is none. */
export function findDeviceMark(signer: Signer, marks: readonly string[], email: string): KnownDevice | null {
  for (const mark of marks.slice(0, maxMarks)) {
    const [, nonce = '', fingerprint = '', mac = ''] = markPattern.exec(mark) ?? []
    const device = { nonce, fingerprint }
    if (signer.verifies(textOf(email, device), decodeMac(mac, 'base64url'))) return device
  }
  return null
}

/** The same mark signed with the newest secret. Null unless an older secret signed a mark for the address. */
export function renewDeviceMark(signer: Signer, marks: readonly string[], email: string): string | null {
  const device = findDeviceMark(signer, marks, email)
  if (!device) return null
  const mark = signMark(signer, email, device)
  return marks.slice(0, maxMarks).includes(mark) ? null : mark
}

/** Returns whether the password is still the one that this device proved. */
export const hasSamePassword = ({ fingerprint }: KnownDevice, hash: string | null): boolean =>
  hash !== null && fingerprint === fingerprintOf(hash)

/** The hash contains a random salt, so its digest reveals nothing about the password. */
const fingerprintOf = (hash: string): string => digestTextOf(hash).slice(0, 22)

const textOf = (email: string, { nonce, fingerprint }: KnownDevice): string => `device:${nonce}:${fingerprint}:${email}`
