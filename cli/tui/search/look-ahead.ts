/** Making this many texts takes less time than anybody notices. */
const textsAtOnce = 250

/**
 * Makes the texts of a long list before a letter is typed, a few at a time, so that no key waits. `textOf` keeps what it
 * has made. Returns a function that stops it.
 */
export function lookAhead<T>(items: readonly T[], textOf: (item: T) => unknown): () => void {
  let next: NodeJS.Immediate | undefined
  const look = (from: number) => {
    for (const item of items.slice(from, from + textsAtOnce)) textOf(item)
    if (from + textsAtOnce < items.length) next = setImmediate(look, from + textsAtOnce)
  }
  if (items.length > textsAtOnce) next = setImmediate(look, 0)
  return () => clearImmediate(next)
}
