/** The word that is meant by a misspelt one: at most two letters in five are otherwise; undefined where none is near. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const [found] = words
    .map((candidate) => ({ candidate, distance: distanceOf(word, candidate) }))
    .filter(({ candidate, distance }) => distance <= 0.4 * Math.max(word.length, candidate.length))
    .toSorted((one, other) => one.distance - other.distance)
  return found?.candidate
}

/** How many letters have to be put in, taken out or changed (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [at, letter] of Array.from(one).entries()) {
    const next = [at + 1]
    for (const [index, above] of Array.from(other).entries())
      next.push(
        Math.min((row[index] ?? 0) + Number(letter !== above), (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1),
      )
    row = next
  }
  return row.at(-1) ?? 0
}
