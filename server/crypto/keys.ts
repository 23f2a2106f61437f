import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'

/** What a subkey is for. A value made for one purpose never verifies for another (RFC 8725 3.12). */
export type Purpose = 'cookie' | 'cache' | 'limit'

/** HMAC-SHA-256 under one purpose: the newest secret signs, every secret verifies. */
export interface Signer {
  sign(text: string): Buffer
  verifies(text: string, mac: Buffer): boolean
}

export type Keys = Readonly<Record<Purpose, Signer>>

/** Subkeys of the secrets, newest first. */
export const createKeys = (secrets: readonly string[]): Keys => ({
  cookie: createSigner(secrets, 'cookie'),
  cache: createSigner(secrets, 'cache'),
  limit: createSigner(secrets, 'limit'),
})

function createSigner(secrets: readonly string[], purpose: Purpose): Signer {
  const keys = secrets.map((secret) => deriveKey(secret, purpose))
  const [newest] = keys
  if (!newest) throw new Error('A signer needs at least one secret')
  return {
    sign: (text) => mac(newest, text),
    verifies: (text, given) => keys.some((key) => areEqual(mac(key, text), given)),
  }
}

// Synchronous on purpose: WebCrypto would wait in the thread pool behind password hashes.
const mac = (key: KeyObject, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** HKDF-SHA-256 (RFC 5869) without salt; the label separates the purposes. */
const deriveKey = (secret: string, purpose: Purpose): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `postern:${purpose}:v1`, 32)))

const areEqual = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other)
