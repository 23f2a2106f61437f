/** Values that are remembered for one to two turns. */
export interface RecentMap<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
}

interface Options {
  readonly now: () => Date
  /** Milliseconds. */
  readonly turn: number
  /** At most twice as many are remembered. */
  readonly capacity: number
}

/** Two maps: the older one is dropped as a whole, so no value needs its own timer or a sweep. */
export function createRecentMap<V>({ now, turn, capacity }: Options): RecentMap<V> {
  let young = new Map<string, V>()
  let old = new Map<string, V>()
  let turnsAt = 0
  return {
    get: (key) => young.get(key) ?? old.get(key),
    set(key, value) {
      const time = now().getTime()
      if (time >= turnsAt || young.size >= capacity) {
        old = young
        young = new Map()
        turnsAt = time + turn
      }
      young.set(key, value)
    },
    delete(key) {
      young.delete(key)
      old.delete(key)
    },
  }
}
