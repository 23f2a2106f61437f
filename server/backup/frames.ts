import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'

// A backup is one line that says what it is, then frames. A frame is a length, whose highest bit marks the last one,
// the bytes, and a seal over the line, the place of the frame and the bytes: AES-256-GCM with a passphrase, else a
// chain of SHA-256. Frames that are changed, missing, repeated or out of order are noticed at the first of them.

/** A backup that is damaged, cut off, or that the passphrase does not open. */
export class UnusableBackup extends Error {
  override readonly name = 'UnusableBackup'
}

const magic = 'postern-backup 1 '
const maxLine = 4096
const maxFrame = 1 << 20
const lastBit = 0x8000_0000

interface Kdf {
  readonly salt: string
  readonly cost: number
}

interface Line {
  readonly createdAt: string
  /** Null: not encrypted. */
  readonly kdf: Kdf | null
}

/** Seals or opens frames in their order. */
interface Sealer {
  readonly sealLength: number
  seal(bytes: Buffer, isLast: boolean): Buffer
  /** Null: the seal is not that of these bytes at this place. */
  open(bytes: Buffer, seal: Buffer, isLast: boolean): Buffer | null
}

/** 128 MiB of memory and half a second for each guess. */
const usualCost = 2 ** 17
/** Those that scrypt takes, and that cost a guess something and us not everything. */
const costs: ReadonlySet<number> = new Set([14, 15, 16, 17, 18, 19, 20].map((power) => 2 ** power))

const derive = promisify((passphrase: string, { salt, cost }: Kdf, done: (error: Error | null, key: Buffer) => void) =>
  scrypt(
    passphrase.normalize('NFKC'),
    Buffer.from(salt, 'base64'),
    32,
    { N: cost, r: 8, p: 1, maxmem: 2 ** 31 - 1 },
    done,
  ),
)

function chain(line: string): Sealer {
  let before = createHash('sha256').update(line).digest()
  const next = (bytes: Buffer, isLast: boolean) =>
    (before = createHash('sha256')
      .update(before)
      .update(isLast ? 'last' : 'more')
      .update(bytes)
      .digest())
  return {
    sealLength: 32,
    seal: (bytes, isLast) => Buffer.concat([bytes, next(bytes, isLast)]),
    open: (bytes, seal, isLast) => (next(bytes, isLast).equals(seal) ? bytes : null),
  }
}

/** The key is used for one backup only, so that its frames can be counted in place of random nonces. */
function cipher(line: string, key: Buffer): Sealer {
  let count = 0
  const parts = (isLast: boolean) => {
    const nonce = Buffer.alloc(12)
    nonce.writeBigUInt64BE(BigInt(count++), 4)
    return [nonce, Buffer.from(`${line}${isLast ? 'last' : 'more'}`)] as const
  }
  return {
    sealLength: 16,
    seal(bytes, isLast) {
      const [nonce, aad] = parts(isLast)
      const sealed = createCipheriv('aes-256-gcm', key, nonce).setAAD(aad)
      return Buffer.concat([sealed.update(bytes), sealed.final(), sealed.getAuthTag()])
    },
    open(bytes, seal, isLast) {
      const [nonce, aad] = parts(isLast)
      const opened = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 }).setAAD(aad).setAuthTag(seal)
      try {
        return Buffer.concat([opened.update(bytes), opened.final()])
      } catch {
        return null
      }
    },
  }
}

const sealerOf = async (line: string, kdf: Kdf | null, passphrase: string | null): Promise<Sealer> =>
  kdf === null || passphrase === null ? chain(line) : cipher(line, await derive(passphrase, kdf))

/** The bytes of a backup with this content. */
export async function* sealFrames(content: AsyncIterable<Buffer>, passphrase: string | null): AsyncGenerator<Buffer> {
  const kdf = passphrase === null ? null : { salt: randomBytes(16).toString('base64'), cost: usualCost }
  const about: Line = { createdAt: new Date().toISOString(), kdf }
  const line = `${magic}${JSON.stringify(about)}\n`
  const sealer = await sealerOf(line, kdf, passphrase)
  yield Buffer.from(line)
  const frame = (bytes: Buffer, isLast: boolean) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE((isLast ? lastBit : 0) + bytes.length)
    return Buffer.concat([length, sealer.seal(bytes, isLast)])
  }
  for await (const bytes of content)
    for (let at = 0; at < bytes.length; at += maxFrame) yield frame(bytes.subarray(at, at + maxFrame), false)
  yield frame(Buffer.alloc(0), true)
}

/** The content of a backup, each piece as soon as its seal was checked. Ends only after the last frame. */
export async function* openFrames(file: AsyncIterable<Buffer>, passphrase: string | null): AsyncGenerator<Buffer> {
  const reader = createReader(file)
  try {
    yield* readFrames(reader, passphrase)
  } finally {
    await reader.close()
  }
}

async function* readFrames(reader: Reader, passphrase: string | null): AsyncGenerator<Buffer> {
  const line = await readLine(reader)
  const { kdf } = parseLine(line)
  requireFitting(kdf, passphrase)
  const sealer = await sealerOf(line, kdf, passphrase)
  for (let isFirst = true, isLast = false; !isLast; isFirst = false) {
    const head = (await reader.take(4)).readUInt32BE()
    isLast = head >= lastBit
    const length = head % lastBit
    if (length > maxFrame) throw damaged()
    const bytes = await reader.take(length)
    const opened = sealer.open(bytes, await reader.take(sealer.sealLength), isLast)
    if (opened === null)
      throw isFirst && kdf !== null ? new UnusableBackup('Wrong passphrase, or the backup is damaged') : damaged()
    yield opened
  }
  if (!(await reader.isAtEnd())) throw damaged()
}

function requireFitting(kdf: Kdf | null, passphrase: string | null): void {
  if (kdf !== null && passphrase === null)
    throw new UnusableBackup('The backup is encrypted: give its passphrase with --passphrase-file')
  if (kdf === null && passphrase !== null)
    throw new UnusableBackup(
      'The backup is not encrypted, so the passphrase proves nothing: leave it out if that is right',
    )
}

const damaged = () => new UnusableBackup('The backup is damaged: its content is not what was written')
const cutOff = () => new UnusableBackup('The backup is cut off: its end is missing')

function parseLine(line: string): Line {
  const [, text = ''] = /^postern-backup 1 (\{.*\})\n$/.exec(line) ?? []
  const { createdAt, kdf } = Object(parsed(text)) as Partial<Line>
  const isKnown = kdf === null || (typeof kdf?.salt === 'string' && costs.has(kdf.cost))
  if (createdAt === undefined || kdf === undefined || !isKnown) throw damaged()
  return { createdAt, kdf }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

type Reader = ReturnType<typeof createReader>

async function readLine(reader: Reader): Promise<string> {
  const start = await reader.glance(magic.length)
  if (!magic.startsWith(start.toString('latin1')))
    throw new UnusableBackup('This is no backup of Postern, or one of a newer version')
  for (let length = magic.length; length < maxLine; length += 1) {
    if ((await reader.peek(length))[length - 1] === 10) return (await reader.take(length)).toString()
  }
  throw damaged()
}

/** Takes exact lengths from a stream. */
function createReader(file: AsyncIterable<Buffer>) {
  const source = file[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  const fill = async (length: number) => {
    const parts = [held]
    let size = held.length
    while (size < length) {
      const { done, value } = await source.next()
      if (done) break
      parts.push(Buffer.from(value))
      size += value.length
    }
    if (parts.length > 1) held = Buffer.concat(parts)
  }
  const glance = async (length: number) => {
    await fill(length)
    return held.subarray(0, length)
  }
  const peek = async (length: number) => {
    const seen = await glance(length)
    if (seen.length < length) throw cutOff()
    return seen
  }
  return {
    /** Fewer bytes than asked for when it ends before. */
    glance,
    peek,
    take: async (length: number) => {
      const taken = await peek(length)
      held = held.subarray(length)
      return taken
    },
    isAtEnd: async () => {
      await fill(1)
      return held.length === 0
    },
    /** Also closes the file of a stream that is not read to its end. */
    close: async () => {
      await source.return?.()
    },
  }
}
