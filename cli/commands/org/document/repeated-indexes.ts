/** Where a value stands that stood before. */
export function repeatedIndexes(values: readonly string[]): readonly number[] {
  const seen = new Set<string>()
  return values.flatMap((value, index) => {
    if (seen.has(value)) return [index]
    seen.add(value)
    return []
  })
}
