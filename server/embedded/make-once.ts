import { randomBytes } from 'node:crypto'
import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { errorCodeOf } from './error.ts'

/** Written whole, then linked into place: of two processes that start at once, both find the first one's. */
export function makeOnce(file: string, text: string): void {
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  // Exclusive: never a file that is there already, nor through a link.
  writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}
