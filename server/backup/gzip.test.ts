import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { UnusableBackup } from './frames.ts'
import { unzipped, zipped } from './gzip.ts'

const content = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * index) % 251))
const whole = gzipSync(content)

/** In pieces, as from a file. */
async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000)
}

it('gives back what was zipped', async () => {
  expect((await buffer(unzipped(zipped(pieces(content))))).equals(content)).toBe(true)
})

it.each([
  ['is cut off', whole.subarray(0, -10)],
  ['is cut off early', whole.subarray(0, 12)],
  ['is another', Buffer.from('not zipped at all')],
  ['is flipped', Buffer.from(whole.map((byte, at) => (at === whole.length - 6 ? byte ^ 1 : byte)))],
  ['goes on', Buffer.concat([whole, Buffer.from('more')])],
  ['goes on with zeros', Buffer.concat([whole, Buffer.alloc(5000)])],
])('what %s is refused', async (_, bytes) => {
  await expect(buffer(unzipped(pieces(bytes)))).rejects.toThrow(UnusableBackup)
})

it('passes on an error of what it reads', async () => {
  async function* failing() {
    yield whole.subarray(0, 100)
    throw new Error('the disk is gone')
  }
  await expect(buffer(unzipped(failing()))).rejects.toThrow('the disk is gone')
  await expect(buffer(zipped(failing()))).rejects.toThrow('the disk is gone')
})

it('closes what it does not read to its end', async () => {
  const file = Readable.from(pieces(Buffer.concat(Array.from({ length: 50 }, () => whole))))
  for await (const _ of unzipped(file as AsyncIterable<Buffer>)) break
  await expect.poll(() => file.destroyed).toBe(true)
})
