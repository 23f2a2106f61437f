import type { Readable } from 'node:stream'
import type { CliError } from '../output/cli-error.ts'

type InputStream = AsyncIterable<Buffer | string>

/** The part of a process that is needed to read its stdin. */
export interface Input {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly signal: AbortSignal
}

/** Stdin, to be read at once. Ctrl+C ends it, because a pipe or a person may keep it open. */
export function stdinOf({ stdin, signal }: Input): Readable {
  signal.throwIfAborted()
  // Nobody may be reading yet, such as while a database starts; an error without a listener would end the process.
  signal.addEventListener('abort', () => stdin.on('error', () => {}).destroy(signal.reason), { once: true })
  return stdin
}

/** All of a stream as text. Beyond `maxBytes` it reads no further and throws, because a pipe may never end. */
export async function readAll(stream: InputStream, maxBytes: number, tooLong: () => CliError): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk)
    length += bytes.length
    if (length > maxBytes) throw tooLong()
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}
