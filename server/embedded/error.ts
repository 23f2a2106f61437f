/** Why the embedded PostgreSQL cannot be used, and what to do about it. */
export class EmbeddedDatabaseError extends Error {
  override readonly name = 'EmbeddedDatabaseError'
}

/** The code of a system or PostgreSQL error (`ENOENT`, `57P03`), or an empty text. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

export const unusableFolderMessage = (dataDir: string) =>
  `The folder of the embedded database, ${dataDir}, cannot be used`

/** Turns file system errors (no permission, no space, read-only) into a sentence that says what to do. */
export function explainFileError(dataDir: string, error: unknown): EmbeddedDatabaseError {
  if (error instanceof EmbeddedDatabaseError) return error
  const reason = error instanceof Error ? error.message : String(error)
  const advice = 'Set DATA_DIR to a folder that can be written, or DATABASE_URL to use a PostgreSQL server.'
  return new EmbeddedDatabaseError(`${unusableFolderMessage(dataDir)}: ${reason}. ${advice}`, { cause: error })
}
