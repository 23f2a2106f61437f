import type { FailureName } from '../../shared/errors.ts'
import { Failure } from '../../shared/failure.ts'

/** Runs a write; a violation of the named unique key is the expected refusal, not a fault. */
export async function onUnique<T>(constraint: string, failure: FailureName, write: () => PromiseLike<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const { code, constraint_name: name } = Object(error) as { code?: string; constraint_name?: string }
    if (code === '23505' && name === constraint) throw new Failure(failure, { cause: error })
    throw error
  }
}
