import { createRecentMap } from '../memory/recent-map.ts'

/** Reads a signed text. Null when no signature verifies. */
export type ReadSigned<Value> = (text: string) => Value | null

/**
 * Remembers what was read from the last signed texts, since a client sends the same cookie with every request: a
 * signature that verified once verifies again. What did not verify is not remembered, so a flood of forged texts
 * displaces nothing. `capacity`: it remembers as many texts at least, and twice as many at most.
 */
export function rememberVerified<Value extends NonNullable<unknown>>(
  capacity: number,
  read: ReadSigned<Value>,
): ReadSigned<Value> {
  const known = createRecentMap<Value>({ capacity })
  return (text) => {
    const value = known.get(text) ?? read(text)
    if (value !== null) known.set(text, value)
    return value
  }
}
