import { refuseUnusable } from './cluster-setup.ts'
import { hasPrograms, noEngine } from './engine.ts'
import { EmbeddedDatabaseError, explainFileError } from './error.ts'

/**
 * Throws EmbeddedDatabaseError when the first start could not make its database in this folder. Makes nothing itself,
 * so it does not see whether the programs run.
 */
export async function checkFirstStart(dataDir: string, findsPrograms = hasPrograms): Promise<void> {
  try {
    refuseUnusable(dataDir)
  } catch (error) {
    throw explainFileError(dataDir, error)
  }
  if (!(await findsPrograms())) throw new EmbeddedDatabaseError(noEngine([]))
}
