/** A difference between two looks at a list. */
interface ListChange<T> {
  readonly change: 'added' | 'changed' | 'removed'
  readonly item: T
}

/** Items by their key, in the order of the list. */
export type KeyedItems<T> = ReadonlyMap<string, T>

export const itemsByKey = <T extends object>(items: readonly T[], id = 'id'): KeyedItems<T> =>
  new Map(items.map((item) => [String(Reflect.get(item, id)), item]))

/** What was removed, then what is new or different, in the order of the list. */
export function changesBetween<T>(before: KeyedItems<T>, now: KeyedItems<T>): readonly ListChange<T>[] {
  const removed = [...before].filter(([key]) => !now.has(key)).map(([, item]) => ({ change: 'removed' as const, item }))
  const others = [...now].flatMap(([key, item]): ListChange<T>[] => {
    const earlier = before.get(key)
    if (earlier === undefined) return [{ change: 'added', item }]
    return JSON.stringify(earlier) === JSON.stringify(item) ? [] : [{ change: 'changed', item }]
  })
  return [...removed, ...others]
}
