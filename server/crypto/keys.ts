import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import { createLabelledSealer, createSealer, type LabelledSealer, labelOf, type Sealer } from './sealer.ts'

/** What a subkey is for. A value made for one purpose never verifies for another (RFC 8725 3.12). */
type Purpose =
  | 'cookie'
  | 'cache'
  | 'device'
  | 'limit'
  | 'claim'
  | 'user-code'
  | 'mail'
  | 'outbox'
  | 'state'
  | 'sign-up'
  | 'provider-tokens'
  | 'jwt'

/** HMAC-SHA-256 under one purpose: the newest secret signs, every secret verifies. */
export interface Signer {
  sign(text: string): Buffer
  verifies(text: string, mac: Buffer): boolean
  /** Whether an older secret signed it, and the newest did not. */
  isOutdated(text: string, mac: Buffer): boolean
  /** Names the newest secret, and tells nothing of it. */
  readonly label: Buffer
  /** Whether there is more than one secret. */
  readonly isRotating: boolean
}

export interface Keys {
  readonly cookie: Signer
  readonly cache: Signer
  /** Of the marks by which a device is known. */
  readonly device: Signer
  readonly limit: Signer
  /** Of the salts of claims: sign-ups with taken addresses. */
  readonly claim: Signer
  /** Of the codes that people type to sign in elsewhere. */
  readonly userCode: Signer
  /** Of the tokens in mailed links, newest first. */
  readonly mail: readonly KeyObject[]
  readonly outbox: Sealer
  /** Of what was begun with a provider. */
  readonly state: Sealer
  /** Of what a browser keeps of its sign-up. */
  readonly signUp: Sealer
  /** Of the tokens that providers gave us. */
  readonly providerTokens: Sealer
  /** Of the keys that sign tokens for other services. */
  readonly jwt: LabelledSealer
}

/** Subkeys of the secrets, newest first. */
export function createKeys(secrets: readonly string[]): Keys {
  const subkeys = (purpose: Purpose) => secrets.map((secret) => deriveKey(secret, purpose))
  return {
    cookie: createSigner(subkeys('cookie')),
    cache: createSigner(subkeys('cache')),
    device: createSigner(subkeys('device')),
    limit: createSigner(subkeys('limit')),
    claim: createSigner(subkeys('claim')),
    userCode: createSigner(subkeys('user-code')),
    mail: subkeys('mail'),
    outbox: createSealer(subkeys('outbox')),
    state: createSealer(subkeys('state')),
    signUp: createSealer(subkeys('sign-up')),
    providerTokens: createLabelledSealer(subkeys('provider-tokens')),
    jwt: createLabelledSealer(subkeys('jwt')),
  }
}

function createSigner(keys: readonly KeyObject[]): Signer {
  const [newest, ...older] = keys
  if (!newest) throw new Error('A signer needs at least one secret')
  const isBy = (key: KeyObject, text: string, given: Buffer) => areEqual(mac(key, text), given)
  return {
    sign: (text) => mac(newest, text),
    verifies: (text, given) => keys.some((key) => isBy(key, text, given)),
    isOutdated: (text, given) => older.some((key) => isBy(key, text, given)) && !isBy(newest, text, given),
    label: labelOf(newest),
    isRotating: older.length > 0,
  }
}

// Synchronous on purpose: WebCrypto would wait in the thread pool behind password hashes.
const mac = (key: KeyObject, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** HKDF-SHA-256 (RFC 5869) without salt; the label separates the purposes. */
const deriveKey = (secret: string, purpose: Purpose): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `postern:${purpose}:v1`, 32)))

/** The bytes of a MAC in its one spelling; an empty buffer for any other spelling of the same bytes. */
export function readMac(text: string, encoding: 'base64' | 'base64url'): Buffer {
  const bytes = Buffer.from(text, encoding)
  return bytes.toString(encoding) === text ? bytes : Buffer.alloc(0)
}

const areEqual = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other)
