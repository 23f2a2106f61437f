/** Tokens that the database recently found. Only requests with such a token are counted by session. */
export interface ConfirmedTokens {
  has(token: string): boolean
  add(token: string): void
  delete(token: string): void
}

/** Milliseconds. A token is remembered for one to two turns. */
const turn = 60_000
/** About 10 MB at most for both sets. */
const capacity = 50_000

/** Two sets: the older one is dropped as a whole, so no token needs its own timer or a sweep. */
export function createConfirmedTokens(now: () => Date): ConfirmedTokens {
  let young = new Set<string>()
  let old = new Set<string>()
  let turnsAt = 0
  const add = (token: string) => {
    const time = now().getTime()
    if (time >= turnsAt || young.size >= capacity) {
      old = young
      young = new Set()
      turnsAt = time + turn
    }
    young.add(token)
  }
  return {
    has: (token) => young.has(token) || old.has(token),
    add,
    delete(token) {
      young.delete(token)
      old.delete(token)
    },
  }
}
