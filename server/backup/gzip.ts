import { pipeline } from 'node:stream'
import { createGunzip, createGzip, type Gunzip, type Gzip } from 'node:zlib'
import { UnusableBackup } from './frames.ts'

type Bytes = AsyncIterable<Buffer>

export const zipped = (content: Bytes): AsyncGenerator<Buffer> => through(content, () => createGzip({ level: 4 }))

/** Seals say only that the bytes are those that were sealed. */
export async function* unzipped(content: Bytes): AsyncGenerator<Buffer> {
  try {
    yield* through(content, createGunzip)
  } catch (error) {
    if (isOfZlib(error)) throw new UnusableBackup('The backup is damaged: its content cannot be unzipped')
    throw error
  }
}

// A generator, since a stream would begin to read at once, also where its reader never comes. Not `compose`: it loses an
// error of zlib at the end of the content, and its reader waits for ever.
async function* through(content: Bytes, make: () => Gzip | Gunzip): AsyncGenerator<Buffer> {
  const zlib = make()
  let size: number | null = null
  async function* measured() {
    let read = 0
    for await (const piece of content) {
      read += piece.length
      yield piece
    }
    size = read
  }
  // The reader gets every error.
  pipeline(measured(), zlib, () => undefined)
  yield* zlib as Bytes
  // It ignores zeros behind its end, and everything after them.
  if (zlib.bytesWritten !== size) throw new UnusableBackup('The backup is damaged: it goes on after its end')
}

const isOfZlib = (error: unknown): boolean => String((error as { code?: unknown }).code).startsWith('Z_')
