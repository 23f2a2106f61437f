/** What an Argon2 hash says of itself (RFC 9106). */
export interface Argon2Hash {
  readonly type: (typeof types)[number]
  readonly version: number
  /** KiB. */
  readonly memory: number
  readonly passes: number
  readonly lanes: number
  /** Empty when the hash has no associated data. */
  readonly associatedData: Buffer
  readonly salt: Buffer
  readonly hash: Buffer
}

/** `costly`: verifying it would take more memory or time than we allow. */
export type HashProblem = 'unreadable' | 'costly'

const types = ['argon2d', 'argon2i', 'argon2id'] as const
/** `firstVersion` applies when the hash names no version. */
const firstVersion = '16'
const lastVersion = '19'

// A stored hash could ask for any amount of memory. Beyond these limits the sign-in fails and nothing is allocated.
const ceiling = { memory: 131_072, passes: 10, lanes: 4 }

/** Minimum and maximum length in bytes (PHC string format, Argon2). A very short hash would accept wrong passwords. */
const lengths = { associatedData: [1, 32], salt: [8, 48], hash: [12, 64] } as const

/** `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`; the version is optional. */
const phc = /^\$(argon2\w+)(?:\$v=(\d+))?\$([^$]{1,128})\$([^$]{1,64})\$([^$]{1,86})$/

/** Parses the PHC string format with its parameters in any order. A hash made with a secret key is unreadable. */
export function parseArgon2Hash(stored: string): Argon2Hash | HashProblem {
  const [, type = '', version, list = '', salt, hash] = phc.exec(stored) ?? []
  const given = readParameters(list)
  if (!isType(type) || !isVersion(version) || given === null) return 'unreadable'
  const read = {
    type,
    version: Number(version ?? firstVersion),
    memory: readNumber(given.m),
    passes: readNumber(given.t),
    lanes: readNumber(given.p),
    associatedData: readBytes(given.data),
    salt: readBytes(salt),
    hash: readBytes(hash),
  }
  if (!hasValidSizes(read, given)) return 'unreadable'
  return isAffordable(read) ? read : 'costly'
}

const isType = (text: string): text is Argon2Hash['type'] => (types as readonly string[]).includes(text)

const isVersion = (text = firstVersion): boolean => text === firstVersion || text === lastVersion

type Parameters = Readonly<Partial<Record<'m' | 't' | 'p' | 'data', string>>>

/** Reads each parameter exactly once. Null for unknown or repeated parameters. */
function readParameters(list: string): Parameters | null {
  const pairs = list.split(',').map((pair): [string, string] => {
    const [name = '', ...value] = pair.split('=')
    return [name, value.join('=')]
  })
  const isOnce = new Set(pairs.map(([name]) => name)).size === pairs.length
  return isOnce && pairs.every(([name]) => ['m', 't', 'p', 'data'].includes(name)) ? Object.fromEntries(pairs) : null
}

/** Accepts only the canonical decimal form that the format allows; 0 for anything else. */
const readNumber = (text = ''): number => (/^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0)

/** Decodes canonical Base64 without padding; empty for any other spelling. */
function readBytes(text = ''): Buffer {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64').replace(/=+$/, '') === text ? bytes : Buffer.alloc(0)
}

/** Each lane needs at least 8 KiB (RFC 9106, 3.1). */
const hasValidSizes = (
  { memory, passes, lanes, associatedData, salt, hash }: Argon2Hash,
  { data }: Parameters,
): boolean =>
  passes >= 1 &&
  lanes >= 1 &&
  memory >= 8 * lanes &&
  isWithin(salt, lengths.salt) &&
  isWithin(hash, lengths.hash) &&
  (data === undefined || isWithin(associatedData, lengths.associatedData))

const isWithin = ({ length }: Buffer, [least, most]: readonly [number, number]): boolean =>
  length >= least && length <= most

const isAffordable = ({ memory, passes, lanes }: Argon2Hash): boolean =>
  memory <= ceiling.memory && passes <= ceiling.passes && lanes <= ceiling.lanes
