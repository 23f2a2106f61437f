import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { areEqual, bytesOfBase64 } from './bytes.ts'
import { type ReadHash, timesFloor } from './format.ts'

const derive = promisify(pbkdf2)

/** Bytes of each digest: a longer key costs all iterations again for each of them. */
const digests = { sha1: 20, sha256: 32, sha512: 64 } as const
type Digest = keyof typeof digests

/** About a second of one core. Django's default is 1,200,000. */
const maxIterations = 2_500_000
const cheapIterations = 100_000
const maxKey = 128
const minKey = 16

/** Django: `pbkdf2_sha256$iterations$salt$key`, where the salt is the text itself. Others write the key in hex. */
const django = /^pbkdf2_(sha1|sha256|sha512)\$([1-9]\d{0,9})\$([^$]{1,128})\$([^$]{1,256})$/
/** `$pbkdf2-sha256$i=29000$salt$key`, and passlib's, which leaves out `i=`, or names the length too. */
const generic =
  /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?([1-9]\d{0,9})(?:,l=\d{1,3})?\$([^$]{1,256})\$([^$]{1,256})$/

interface Parts {
  readonly digest: Digest
  readonly iterations: number
  readonly salt: Buffer
  readonly key: Buffer
}

export const readPbkdf2: ReadHash = (stored) => {
  if (!/^\$?pbkdf2/.test(stored)) return null
  const parts = readParts(stored)
  if (!parts || parts.key.length < minKey) return 'unreadable'
  const { digest, iterations, salt, key } = parts
  const rounds = iterations * Math.ceil(key.length / digests[digest])
  if (rounds > maxIterations || key.length > maxKey) return 'costly'
  return {
    isCheap: (ours) => rounds < cheapIterations * timesFloor(ours),
    verify: async (password) => areEqual(await derive(password, salt, iterations, key.length, digest), key),
  }
}

function readParts(stored: string): Parts | null {
  const ofDjango = django.exec(stored)
  const found = ofDjango ?? generic.exec(stored)
  if (!found) return null
  const [, digest = 'sha1', iterations, saltText = '', keyText = ''] = found
  if (!isDigest(digest)) return null
  const [salt, key] = ofDjango
    ? [Buffer.from(saltText), wholeKey(keyText, digests[digest])]
    : [bytesOfBase64(saltText), bytesOfBase64(keyText)]
  return salt && key ? { digest, iterations: Number(iterations), salt, key } : null
}

/** In Base64 or in hex, of which only one has that many bytes. */
function wholeKey(text: string, length: number): Buffer | null {
  const isHex = text.length === 2 * length && /^[0-9a-f]+$/i.test(text)
  const key = isHex ? Buffer.from(text, 'hex') : bytesOfBase64(text)
  return key?.length === length ? key : null
}

const isDigest = (text: string): text is Digest => Object.hasOwn(digests, text)
