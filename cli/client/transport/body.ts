import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { AnswerError, AnswerTooLargeError } from '../errors.ts'

const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }

/** The text of a body, at most `limit` bytes of it after decompression; more is refused while it arrives. */
export async function readBodyText(body: Readable, encoding: string | undefined, limit: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      size += chunk.length
      if (size > limit) throw tooLarge(limit)
      chunks.push(chunk)
    }
  }
  try {
    await (encoding ? pipeline(body, decoderOf(encoding), collect) : pipeline(body, collect))
  } catch (error) {
    // The pipeline may report the broken stream instead of its cause.
    throw size > limit ? tooLarge(limit) : error
  } finally {
    body.on('error', () => {}).destroy()
  }
  return Buffer.concat(chunks).toString('utf8')
}

const tooLarge = (limit: number): AnswerTooLargeError =>
  new AnswerTooLargeError(
    `The answer is larger than ${limit / 1_048_576} MB, which is more than is taken at once`,
    'Ask for less at a time: of a list with --limit, of a call with -f limit=50',
  )

function decoderOf(encoding: string) {
  const name = encoding.trim().toLowerCase()
  if (Object.hasOwn(decoders, name)) return decoders[name as keyof typeof decoders]()
  throw new AnswerError('The answer is compressed in a way that was not asked for', 'Check what stands at the URL')
}
