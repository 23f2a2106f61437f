import { accessSync, constants, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { pause } from '../flows/waiting.ts'
import { localStateError, usageError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'
import { whyUnreadable, whyUnwritable } from '../process/file-faults.ts'
import { replaceFile } from '../process/replace-file.ts'

/**
 * A file that holds how far a trail was followed. `read`: undefined if there was no earlier run. `mayGoOn`: waits until
 * stdout has taken all that was printed, and rejects if its reader has closed, or its disk is full.
 */
export const cursorFile = (path: string) => ({
  mayGoOn: untilTaken,
  read: (): string | undefined => readCursor(path),
  write: (cursor: string): void => writeCursor(path, cursor),
})

async function untilTaken(stdout: NodeJS.WriteStream, signal: AbortSignal): Promise<void> {
  const fault = await new Promise<Error | null | undefined>((resolve) => {
    const stop = () => resolve(toCliError(signal.reason))
    signal.addEventListener('abort', stop)
    stdout.write('', (error) => {
      signal.removeEventListener('abort', stop)
      resolve(error)
    })
  })
  if (!fault) return
  // The stream tells its listeners, who know how the command ends, only after the callback.
  await pause(1, signal)
  throw fault
}

function readCursor(path: string): string | undefined {
  const text = textOf(path)
  // Positions are base64url. Anything else is a file that was named by mistake, and stays as it is.
  if (text !== undefined && !/^[\w-]{1,8000}$/.test(text))
    throw usageError(
      `--cursor-file: ${path} holds no position of a trail`,
      'Name a new file, or one that --cursor-file wrote',
      ['--cursor-file'],
    )
  // Told before anything is printed: whoever got events and no position gets them again.
  expectWritable(path, () => accessSync(dirname(path), constants.W_OK))
  return text
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    const why = whyUnreadable(cause as NodeJS.ErrnoException)
    throw localStateError(`The cursor file ${path} cannot be read: ${why}`, 'Name a file in a folder of yours', cause)
  }
}

const writeCursor = (path: string, cursor: string): void => expectWritable(path, () => replaceFile(path, `${cursor}\n`))

function expectWritable(path: string, write: () => void): void {
  try {
    write()
  } catch (cause) {
    const why = whyUnwritable(cause as NodeJS.ErrnoException)
    throw localStateError(
      `The cursor file ${path} cannot be written: ${why}`,
      'Name a file in a folder of yours',
      cause,
    )
  }
}
