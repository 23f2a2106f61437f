import { type BinaryLike, createCipheriv, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { HashProblem } from '../argon2-hash.ts'
import { areEqual, bytesOfBase64 } from './bytes.ts'
import { type ReadHash, timesFloor, type Work } from './format.ts'

const derive = promisify<string, BinaryLike, number, ScryptOptions, Buffer>(scrypt)

interface Cost {
  readonly N: number
  readonly r: number
  readonly p: number
}

/** The limits of an Argon2 hash, in bytes of memory and in lanes. */
const ceiling = { memory: 128 * 1024 * 1024, lanes: 4 }

const costOf = (log: string | undefined, r: string | undefined, p: string | undefined = '1'): Cost | HashProblem => {
  const cost = { N: 2 ** Number(log), r: Number(r), p: Number(p) }
  if (!(Number(log) >= 1 && cost.r >= 1 && cost.p >= 1)) return 'unreadable'
  return memoryOf(cost) > ceiling.memory || cost.p > ceiling.lanes ? 'costly' : cost
}

const isCheap =
  (cost: Cost) =>
  (ours: Work): boolean =>
    memoryOf(cost) * cost.p < 10 * 1024 * 1024 * timesFloor(ours)

const memoryOf = ({ N, r }: Cost): number => 128 * N * r

/** Node's own limit is lower than what these hashes need. */
const optionsOf = (cost: Cost): ScryptOptions => ({ ...cost, maxmem: 2 * ceiling.memory })

// 16 bytes of salt and 64 of key, in lower-case hex.
const reference = /^([0-9a-f]{32}):([0-9a-f]{128})$/
const referenceCost = { N: 16_384, r: 16, p: 1 }

/** The reference service's `salt:key`. The salt is the hex text itself, not the bytes that it encodes. */
export const readReferenceScrypt: ReadHash = (stored) => {
  const [, salt, key] = reference.exec(stored) ?? []
  if (salt === undefined || key === undefined) return null
  const expected = Buffer.from(key, 'hex')
  return {
    isCheap: isCheap(referenceCost),
    verify: async (password) =>
      areEqual(await derive(password, salt, expected.length, optionsOf(referenceCost)), expected),
  }
}

const phc = /^\$scrypt\$ln=(\d{1,3}),r=(\d{1,9}),p=(\d{1,9})\$([^$]{1,256})\$([^$]{1,256})$/

/** `$scrypt$ln=16,r=8,p=1$salt$key`. */
export const readScrypt: ReadHash = (stored) => {
  if (!stored.startsWith('$scrypt$')) return null
  const [, log, r, p, salt = '', key = ''] = phc.exec(stored) ?? []
  const cost = costOf(log, r, p)
  const [saltBytes, expected] = [bytesOfBase64(salt), bytesOfBase64(key)]
  if (!saltBytes || !expected || expected.length < 16) return 'unreadable'
  if (typeof cost === 'string') return cost
  return {
    isCheap: isCheap(cost),
    verify: async (password) => areEqual(await derive(password, saltBytes, expected.length, optionsOf(cost)), expected),
  }
}

const firebase =
  /^\$fbscrypt\$v=1,n=(\d{1,3}),r=(\d{1,9}),p=(\d{1,9})(?:,ss=([^,$]{0,64}))?,sk=([^,$]{1,256})\$([^$]{1,256})\$([^$]{1,256})$/
const zeros = Buffer.alloc(16)

/**
 * Firebase's scrypt, which encrypts the project's signer key under what it derives from the password. The parameters of
 * the project are in the text: `$fbscrypt$v=1,n=14,r=8,p=1,ss=separator,sk=signer key$salt$hash`.
 */
export const readFirebase: ReadHash = (stored) => {
  if (!stored.startsWith('$fbscrypt$')) return null
  const [, log, r, p, ...texts] = firebase.exec(stored) ?? []
  const [separator, signerKey, salt, hash] = texts.map((text: string | undefined) => bytesOfBase64(text ?? ''))
  const cost = costOf(log, r, p)
  if (!separator || !signerKey?.length || !salt || !hash?.length) return 'unreadable'
  if (typeof cost === 'string') return cost
  return {
    isCheap: isCheap(cost),
    async verify(password) {
      const key = await derive(password, Buffer.concat([salt, separator]), 32, optionsOf(cost))
      const cipher = createCipheriv('aes-256-ctr', key, zeros)
      return areEqual(Buffer.concat([cipher.update(signerKey), cipher.final()]), hash)
    },
  }
}
