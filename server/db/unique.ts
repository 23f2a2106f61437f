import type { FailureName } from '../../shared/errors.ts'
import { Failure } from '../../shared/failure.ts'

/** Whether a write violated the named unique key. */
export function isUnique(error: unknown, constraint: string): boolean {
  const { code, constraint_name: name } = Object(error) as { code?: string; constraint_name?: string }
  return code === '23505' && name === constraint
}

/** Runs a write; a violation of the named unique key is the expected refusal, not a fault. */
export async function onUnique<T>(constraint: string, failure: FailureName, write: () => PromiseLike<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (isUnique(error, constraint)) throw new Failure(failure, { cause: error })
    throw error
  }
}
