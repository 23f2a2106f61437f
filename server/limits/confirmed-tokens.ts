import { copyText } from '../memory/copy-text.ts'
import { createRecentMap } from '../memory/recent-map.ts'

/** Tokens that the database recently found. Only requests with such a token are counted by session or key. */
export interface ConfirmedTokens {
  has(token: string): boolean
  /** What its requests are counted by: the token itself, or the id of a key, which can change its secret. */
  countedBy(token: string): string | undefined
  add(token: string, keyId?: string): void
  delete(token: string): void
}

/** About 20 MB at most. */
const capacity = 50_000
/** Stored for the token of a session. */
const noKey = ''

/** A token is remembered for one to two minutes. */
export function createConfirmedTokens(now: () => Date): ConfirmedTokens {
  const keyIds = createRecentMap<string>({ capacity, turn: { milliseconds: 60_000, now } })
  const countedBy = (token: string) => {
    const keyId = keyIds.get(token)
    return keyId === noKey ? token : keyId
  }
  return {
    has: (token) => countedBy(token) !== undefined,
    countedBy,
    add: (token, keyId) => keyIds.set(token, keyId === undefined ? noKey : copyText(keyId)),
    delete: (token) => keyIds.delete(token),
  }
}
