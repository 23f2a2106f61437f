import { readFileSync } from 'node:fs'
import { localStateError } from '../output/cli-error.ts'
import { replaceFile } from '../settings/replace-file.ts'

/** A file that holds how far a trail was followed. `read`: undefined if there was no earlier run. */
export const cursorFile = (path: string) => ({
  read: (): string | undefined => readCursor(path),
  write: (cursor: string): void => writeCursor(path, cursor),
})

function readCursor(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw localStateError(`The cursor file ${path} cannot be read`, 'See who owns it: `ls -l` shows', cause)
  }
}

function writeCursor(path: string, cursor: string): void {
  try {
    replaceFile(path, `${cursor}\n`)
  } catch (cause) {
    throw localStateError(
      `The cursor file ${path} cannot be written`,
      'Is the disk full, or the folder not yours?',
      cause,
    )
  }
}
