import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { hasPrograms, noEngine } from './engine.ts'
import { EmbeddedDatabaseError, explainFileError } from './error.ts'

/**
 * Throws EmbeddedDatabaseError when the first start could not make its database in this folder. Makes nothing itself,
 * so it does not see whether the programs run.
 */
export async function checkFirstStart(dataDir: string, findsPrograms = hasPrograms): Promise<void> {
  try {
    refuseUnwritable(resolve(dataDir))
  } catch (error) {
    throw explainFileError(dataDir, error)
  }
  if (!(await findsPrograms())) throw new EmbeddedDatabaseError(noEngine([]))
}

/** Looks at the nearest folder that exists. Throws what the system says about it. */
function refuseUnwritable(path: string): void {
  if (!existsSync(path)) return refuseUnwritable(dirname(path))
  // The dot refuses a file.
  accessSync(`${path}/.`, constants.W_OK | constants.X_OK)
}
