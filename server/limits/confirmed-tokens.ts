import { createRecentMap } from './recent-map.ts'

/** Tokens that the database recently found. Only requests with such a token are counted by session or key. */
export interface ConfirmedTokens {
  has(token: string): boolean
  /** What its requests are counted by: the token itself, or the id of a key, which can change its secret. */
  countedBy(token: string): string | undefined
  add(token: string, countedBy?: string): void
  delete(token: string): void
}

/** A token is remembered for one to two minutes. About 10 MB at most. */
const bounds = { turn: 60_000, capacity: 50_000 }

export function createConfirmedTokens(now: () => Date): ConfirmedTokens {
  const tokens = createRecentMap<string>({ now, ...bounds })
  return {
    has: (token) => tokens.get(token) !== undefined,
    countedBy: (token) => tokens.get(token),
    add: (token, countedBy = token) => tokens.set(token, countedBy),
    delete: (token) => tokens.delete(token),
  }
}
