import { readMac, type Signer } from './keys.ts'
import { digestOf, randomText } from './token.ts'

/** A device on which the password of an address was proven before, as its cookie shows it. */
export interface KnownDevice {
  /** Random: tells devices apart, and nothing else. */
  readonly nonce: string
  /** Of the stored hash that was proven: with another password the device is unknown. */
  readonly fingerprint: string
}

/** Cookies of that name that are looked at; a page of a neighbouring domain could set many. */
const maxMarks = 4
const markPattern = /^([A-Za-z0-9]{22})\.([\w-]{22})\.([\w-]{43})$/

/**
 * The value of the cookie: it names nobody, signs nobody in, and is worth something for this address alone (OWASP, Slow
 * Down Online Guessing Attacks with Device Cookies).
 */
export function markDevice(signer: Signer, email: string, hash: string, nonce = randomText(22)): string {
  return write(signer, email, { nonce, fingerprint: fingerprintOf(hash) })
}

const write = (signer: Signer, email: string, device: KnownDevice): string =>
  `${device.nonce}.${device.fingerprint}.${signer.sign(textOf(email, device)).toString('base64url')}`

/** The first mark that was made for the address; null when none was. */
export function readDevice(signer: Signer, marks: readonly string[], email: string): KnownDevice | null {
  for (const mark of marks.slice(0, maxMarks)) {
    const [, nonce = '', fingerprint = '', mac = ''] = markPattern.exec(mark) ?? []
    const device = { nonce, fingerprint }
    if (nonce !== '' && signer.verifies(textOf(email, device), readMac(mac, 'base64url'))) return device
  }
  return null
}

/** The same mark, signed by the newest secret; null unless an older one had signed it for the address. */
export function renewMark(signer: Signer, marks: readonly string[], email: string): string | null {
  const device = readDevice(signer, marks, email)
  if (!device) return null
  const mark = write(signer, email, device)
  return marks.slice(0, maxMarks).includes(mark) ? null : mark
}

/** Whether the password is still the one that the device proved. */
export const isKnownBy = ({ fingerprint }: KnownDevice, hash: string | null): boolean =>
  hash !== null && fingerprint === fingerprintOf(hash)

/** The hash holds a random salt, so that its digest says nothing of the password. */
const fingerprintOf = (hash: string): string => digestOf(hash).toString('base64url').slice(0, 22)

const textOf = (email: string, { nonce, fingerprint }: KnownDevice): string => `device:${nonce}:${fingerprint}:${email}`
