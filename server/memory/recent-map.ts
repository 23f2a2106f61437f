import { copyText } from './copy-text.ts'

/** The values that were set last, at least `capacity` of them and at most twice as many. */
export interface RecentMap<V extends NonNullable<unknown>> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
}

interface Options {
  readonly capacity: number
  /** Also forgets, whenever a value is set, what was last set two turns ago. */
  readonly turn?: { readonly milliseconds: number; readonly now: () => Date }
}

/** Two maps: the older one is dropped as a whole, so that no value needs its own timer or a place in a queue. */
export function createRecentMap<V extends NonNullable<unknown>>({ capacity, turn }: Options): RecentMap<V> {
  let young = new Map<string, V>()
  let old = new Map<string, V>()
  let turnsAt = turn ? 0 : Number.POSITIVE_INFINITY
  return {
    get: (key) => young.get(key) ?? old.get(key),
    set(key, value) {
      const time = turn ? turn.now().getTime() : 0
      if (time >= turnsAt || (young.size >= capacity && !young.has(key))) {
        ;[young, old] = [new Map(), young]
        if (turn) turnsAt = time + turn.milliseconds
      }
      young.set(young.has(key) ? key : copyText(key), value)
    },
    delete(key) {
      young.delete(key)
      old.delete(key)
    },
  }
}
