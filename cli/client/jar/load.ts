import { LocalStateError } from '../errors.ts'
import { type JarContent, JarFormatError, parseJar } from './content.ts'
import { keepAside, readPrivate } from './file.ts'

/** The content of a jar's file, undefined when there is none. A damaged file is copied aside and refused, never overwritten. */
export async function loadJar(file: string): Promise<JarContent | undefined> {
  const text = await readPrivate(file)
  if (text === undefined) return undefined
  try {
    return parseJar(text)
  } catch (error) {
    if (!(error instanceof JarFormatError)) throw error
    throw jarError(file, error, await keepAside(file, text))
  }
}

function jarError(file: string, cause: JarFormatError, copy: string | undefined): LocalStateError {
  const kept = copy === undefined ? '' : `; a copy is kept in ${copy}`
  return cause.kind === 'newer'
    ? new LocalStateError(
        `${file} was written by a newer postern (${cause.message})${kept}`,
        'Update postern, or choose another folder with POSTERN_STATE_DIR',
        cause,
      )
    : new LocalStateError(
        `${file} is damaged: ${cause.message}${kept}`,
        'Run `postern auth jar clear`, then sign in again',
        cause,
      )
}
