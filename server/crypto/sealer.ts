import { createCipheriv, createDecipheriv, createHmac, type KeyObject, randomBytes } from 'node:crypto'

/**
 * Encryption at rest. The newest secret seals, every secret opens. A value sealed for one id never opens for another.
 */
export interface Sealer {
  seal(text: string, id: string): Buffer
  /** Throws when no key opens it: the secret or id differs, or the bytes were changed. */
  open(sealed: Buffer, id: string): string
}

const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

/** AES-256-GCM with random 96-bit nonces. The id is authenticated as associated data (NIST SP 800-38D). */
export function createSealer(keys: readonly KeyObject[]): Sealer {
  const [newest] = keys
  if (!newest) throw new Error('A sealer needs at least one secret')
  return {
    seal(text, id) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv(algorithm, newest, nonce).setAAD(Buffer.from(id))
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, id) {
      for (const key of keys) {
        const text = tryOpen(key, sealed, id)
        if (text !== null) return text
      }
      throw new Error('No configured secret decrypts the stored value')
    },
  }
}

const labelLength = 4

export interface LabelledSealer extends Sealer {
  /** What older secrets sealed begins with one of them. */
  readonly olderLabels: Buffer[]
  /** Whether an older secret that is still configured sealed it. */
  isOutdated(sealed: Buffer): boolean
}

/**
 * A sealer for values that are kept for years. Each begins with a label of its key, which shows when an old secret can
 * be removed.
 */
export function createLabelledSealer(keys: readonly KeyObject[]): LabelledSealer {
  const [newest, ...older] = keys
  if (!newest) throw new Error('A sealer needs at least one secret')
  const sealers = new Map(keys.map((key) => [keyLabelOf(key).toString('hex'), createSealer([key])]))
  const sealer = createSealer([newest])
  const newestLabel = keyLabelOf(newest).toString('hex')
  const labelIn = (sealed: Buffer) => sealed.subarray(0, labelLength).toString('hex')
  return {
    seal: (text, id) => Buffer.concat([keyLabelOf(newest), sealer.seal(text, id)]),
    open(sealed, id) {
      const known = sealers.get(labelIn(sealed))
      if (!known) throw new Error('No configured secret decrypts the stored value')
      return known.open(sealed.subarray(labelLength), id)
    },
    olderLabels: older.map(keyLabelOf),
    isOutdated: (sealed) => labelIn(sealed) !== newestLabel && sealers.has(labelIn(sealed)),
  }
}

/** A truncated MAC of a fixed text, which reveals nothing about the key. */
export const keyLabelOf = (key: KeyObject): Buffer =>
  createHmac('sha256', key).update('label').digest().subarray(0, labelLength)

function tryOpen(key: KeyObject, sealed: Buffer, id: string): string | null {
  const nonce = sealed.subarray(0, nonceLength)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength }).setAAD(Buffer.from(id))
  try {
    decipher.setAuthTag(sealed.subarray(-tagLength))
    return decipher.update(sealed.subarray(nonceLength, -tagLength), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return null
  }
}
