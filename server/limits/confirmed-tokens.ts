/** Tokens that the database recently found. Only requests with such a token are counted by session or key. */
export interface ConfirmedTokens {
  has(token: string): boolean
  /** What its requests are counted by: the token itself, or the id of a key, which can change its secret. */
  countedBy(token: string): string | undefined
  add(token: string, countedBy?: string): void
  delete(token: string): void
}

/** Milliseconds. A token is remembered for one to two turns. */
const turn = 60_000
/** About 10 MB at most for both maps. */
const capacity = 50_000

/** Two maps: the older one is dropped as a whole, so no token needs its own timer or a sweep. */
export function createConfirmedTokens(now: () => Date): ConfirmedTokens {
  let young = new Map<string, string>()
  let old = new Map<string, string>()
  let turnsAt = 0
  const add = (token: string, countedBy = token) => {
    const time = now().getTime()
    if (time >= turnsAt || young.size >= capacity) {
      old = young
      young = new Map()
      turnsAt = time + turn
    }
    young.set(token, countedBy)
  }
  return {
    has: (token) => young.has(token) || old.has(token),
    countedBy: (token) => young.get(token) ?? old.get(token),
    add,
    delete(token) {
      young.delete(token)
      old.delete(token)
    },
  }
}
