import { isGood, mayMatch, scoreOf } from './fuzzy.ts'

/** Something that the palette or a picker can find. */
export interface Searchable {
  readonly label: string
  /** Other names that a search finds it by: an address, a slug or a key. */
  readonly names?: readonly string[] | undefined
  /** It only opens a screen. */
  readonly isPlace?: boolean | undefined
  /** It destroys something, so matches that are as good rank before it. */
  readonly destroys?: boolean | undefined
  /** It is disabled, so enabled ones come first. */
  readonly disabledReason?: string | undefined
}

/** The matches, best first. Without a search text the order stays. */
export function rankMatches<T extends Searchable>(things: readonly T[], typed: string): readonly T[] {
  const wanted = typed.trim()
  return things
    .flatMap((thing, index) => {
      const score = wanted === '' ? 1 : scoreOfThing(thing, wanted)
      return score === undefined ? [] : [{ thing, index, score, tier: tierOf(thing, score) }]
    })
    .toSorted((one, other) => one.tier - other.tier || other.score - one.score || one.index - other.index)
    .map(({ thing }) => thing)
}

/** A scattered match comes after every good one, even after one that destroys something. */
const tierOf = ({ destroys, disabledReason }: Searchable, score: number): number =>
  (isGood(score) ? 0 : 4) + (destroys ? 2 : 0) + (disabledReason ? 1 : 0)

function scoreOfThing({ label, names = [], isPlace }: Searchable, wanted: string): number | undefined {
  // Case-sensitive: q and Q are different keys.
  if (names.includes(wanted)) return 4
  let best: number | undefined
  for (const name of [label, ...names]) {
    if (isSame(name, wanted)) return 3
    const score = scoreOf(wanted, name)
    if (score !== undefined && score > (best ?? -1)) best = score
  }
  // Of two that match alike, the one that only opens a screen comes first.
  return best === undefined ? undefined : best + (isPlace ? 0.01 : 0)
}

const isSame = (name: string, wanted: string): boolean =>
  name.length === wanted.length && name.toLowerCase() === wanted.toLowerCase()

/** A text of a row, in lower case too. A long list is searched at every key, so both are kept. */
export interface SearchedText {
  readonly text: string
  readonly lower: string
}

export const searchedText = (text: string): SearchedText => ({ text, lower: text.toLowerCase() })

/**
 * The items of a list that match: those that contain what was typed, in the list's own order, then other good matches,
 * best first. What somebody reads does not jump while it still matches as it stands.
 */
export function rankRows<T>(items: readonly T[], textOf: (item: T) => SearchedText, typed: string): readonly T[] {
  if (typed === '') return items
  const wanted = typed.toLowerCase()
  const rest: { readonly item: T; readonly score: number }[] = []
  const literal = items.filter((item) => {
    const { text, lower } = textOf(item)
    if (lower.includes(wanted)) return true
    const score = mayMatch(wanted, lower) ? (scoreOf(typed, text) ?? 0) : 0
    if (isGood(score)) rest.push({ item, score })
    return false
  })
  return [...literal, ...rest.toSorted((one, other) => other.score - one.score).map(({ item }) => item)]
}
