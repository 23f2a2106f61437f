import { randomBytes } from 'node:crypto'
import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { errorCodeOf } from './error.ts'

/**
 * Writes a complete draft and then links it into place: two processes that start at once both see the first one's file.
 */
export function writeOnce(file: string, text: string): void {
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  // Exclusive: never opens an existing file or follows a link.
  writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}
