import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { createLabelledSealer, createSealer, keyLabelOf, type LabelledSealer, type Sealer } from './sealer.ts'
import { areEqual } from './stored-hash/bytes.ts'

/** The purpose of a subkey. A value made for one purpose never verifies for another (RFC 8725 3.12). */
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
  | 'position'
  | 'provider-tokens'
  | 'jwt'
  | 'webhook'

/** HMAC-SHA-256 under one purpose: the newest secret signs, every secret verifies. */
export interface Signer {
  sign(text: string): Buffer
  verifies(text: string, mac: Buffer): boolean
  /** Whether the MAC verifies with an older secret but not with the newest. */
  isOutdated(text: string, mac: Buffer): boolean
  /** Identifies the newest secret without revealing it. */
  readonly label: Buffer
  /** Those of all secrets, newest first, as text for the log. */
  readonly labels: readonly string[]
  /** Whether more than one secret is configured. */
  readonly isRotating: boolean
}

export interface Keys {
  readonly cookie: Signer
  readonly cache: Signer
  /** Signs known-device cookies. */
  readonly device: Signer
  readonly limit: Signer
  /** Derives salts for sign-up attempts with addresses that are already taken. */
  readonly claim: Signer
  /** Signs the user codes of device sign-ins. */
  readonly userCode: Signer
  /** Sign the tokens in mailed links, newest first. */
  readonly mail: readonly KeyObject[]
  readonly outbox: Sealer
  /** Seals the state of a sign-in at a provider. */
  readonly state: Sealer
  /** Seals the cookie that a browser keeps after a sign-up. */
  readonly signUp: Sealer
  /** Seals where the primary database was after the caller's last write. */
  readonly position: Sealer
  /** Seals the tokens received from providers. */
  readonly providerTokens: LabelledSealer
  /** Seals the private keys that sign tokens for other services. */
  readonly jwt: LabelledSealer
  /** Seals the secrets that sign what webhooks are sent. */
  readonly webhook: LabelledSealer
}

/** Derives the subkeys of all secrets, newest first. */
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
    position: createSealer(subkeys('position')),
    providerTokens: createLabelledSealer(subkeys('provider-tokens')),
    jwt: createLabelledSealer(subkeys('jwt')),
    webhook: createLabelledSealer(subkeys('webhook')),
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
    label: keyLabelOf(newest),
    labels: keys.map((key) => keyLabelOf(key).toString('hex')),
    isRotating: older.length > 0,
  }
}

/** Verifies what another service signed with its secret itself, and signs nothing. */
export const verifierOf = (secret: string): Pick<Signer, 'verifies'> =>
  createSigner([createSecretKey(Buffer.from(secret))])

// Synchronous on purpose: WebCrypto would queue in the thread pool behind password hashes.
const mac = (key: KeyObject, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** HKDF-SHA-256 (RFC 5869) without a salt. The label separates the purposes. */
const deriveKey = (secret: string, purpose: Purpose): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `postern:${purpose}:v1`, 32)))

/** Decodes a MAC. Returns an empty buffer when the text is not the canonical spelling of its bytes. */
export function decodeMac(text: string, encoding: 'base64' | 'base64url'): Buffer {
  const bytes = Buffer.from(text, encoding)
  return bytes.toString(encoding) === text ? bytes : Buffer.alloc(0)
}
