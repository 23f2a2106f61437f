import { createReadStream } from 'node:fs'
import { type CliError, usageError } from '../../../output/cli-error.ts'
import type { InputStream } from '../../../settings/secret.ts'
import { whyUnreadable } from '../../../settings/unreadable.ts'

/** Bytes: about 60,000 members. */
const maxBytes = 4 * 1024 * 1024

/** The text of a file, or of stdin (`-`); exit 2 for one that cannot be read, is too large or is not UTF-8. */
export async function readText(path: string, stdin: InputStream): Promise<string> {
  const source: InputStream = path === '-' ? stdin : createReadStream(path)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of source) {
      chunks.push(Buffer.from(chunk))
      size += chunk.length
      if (size > maxBytes) throw textError(path, 'is larger than 4 MiB')
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (error) {
    throw readError(error, path)
  }
}

function readError(error: unknown, path: string): unknown {
  const { code, syscall } = Object(error)
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return textError(path, 'is not UTF-8')
  return typeof syscall === 'string' ? textError(path, `cannot be read (${whyUnreadable(Object(error))})`) : error
}

const textError = (path: string, why: string): CliError =>
  usageError(`${path === '-' ? 'stdin' : path} ${why}`, 'Such a file is written by: postern org export', ['--file'])
