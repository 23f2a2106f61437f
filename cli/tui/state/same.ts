import { isDeepStrictEqual } from 'node:util'

/** The value from before, where the new one says nothing else: what is painted from it stays as it is. */
export const same = <T>(before: T, after: T): T => (isDeepStrictEqual(before, after) ? before : after)
