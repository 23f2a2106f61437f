/** Tokens that the database knew a short while ago: only they are counted by session. */
export interface ProvenSessions {
  has(token: string): boolean
  add(token: string): void
  delete(token: string): void
}

/** Milliseconds; a token is remembered for one to two such times. */
const turn = 60_000
/** About 10 MB in both halves at most. */
const capacity = 50_000

/** Two halves: the older one is forgotten whole, so that nothing is kept or swept for each token. */
export function createProvenSessions(now: () => Date): ProvenSessions {
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
