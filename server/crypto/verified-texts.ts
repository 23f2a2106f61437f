/** Reads a signed text. Null when no signature verifies. */
export type ReadSigned<Value> = (text: string) => Value | null

/**
 * Remembers what was read from the last signed texts, since a client sends the same cookie with every request: a
 * signature that verified once verifies again. What did not verify is not remembered, so a flood of forged texts
 * displaces nothing. `capacity`: it remembers as many texts at least, and twice as many at most.
 */
export function rememberVerified<Value>(capacity: number, read: ReadSigned<Value>): ReadSigned<Value> {
  // Two maps: the older one is dropped as a whole, so that no text needs a place in a queue.
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  return (text) => {
    const known = young.get(text) ?? old.get(text)
    const value = known ?? read(text)
    if (value === null || young.has(text)) return value
    if (young.size >= capacity) [young, old] = [new Map(), young]
    young.set(flat(text), value)
    return value
  }
}

/** A copy, because a part of a string keeps the whole alive, which may be as long as all headers of a request. */
const flat = (text: string): string => Buffer.from(text).toString()
