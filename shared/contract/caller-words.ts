import type { FailureName } from '../errors.ts'
import type { Call } from './call.ts'

const accessWords = { anyone: 'anyone', visitor: 'anyone', session: 'signed in', server: 'service key' } as const

/** Whom a call lets in that checks the session itself: by a failure that only such calls have. */
const wordsByRefusal: Partial<Record<FailureName, string>> = {
  USER_INFO_NOT_FOUND: accessWords.session,
  DEVICE_UNAUTHORIZED: accessWords.session,
  NOT_AUTHENTICATED: accessWords.session,
  USER_NOT_FOUND_UNAUTHORIZED: accessWords.session,
  USER_OR_SESSION_REQUIRED: 'signed in, or service key',
  // Nobody gets as far without either; UNAUTHORIZED is a failure of the edge, which no call lists.
  ORGANIZATION_CREATION_FORBIDDEN: 'signed in, or service key',
}

/** Who may make a call, in words for people. */
export function callerOf({ access, failures }: Call): string {
  const refusal = access === 'visitor' ? failures.find((name) => wordsByRefusal[name]) : undefined
  return (refusal && wordsByRefusal[refusal]) ?? accessWords[access]
}
