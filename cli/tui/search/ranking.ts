import { isGood, type SearchedText, scoreOf, searchedText } from './fuzzy.ts'

/** Something that the palette or a picker can find. */
interface Searchable {
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
  const wanted = searchedText(typed.trim())
  if (wanted.text === '') return things.toSorted((one, other) => tierOf(one, 1) - tierOf(other, 1))
  return things
    .flatMap((thing, index) => {
      const score = scoreOfThing(thing, wanted)
      return score === undefined ? [] : [{ thing, index, score, tier: tierOf(thing, score) }]
    })
    .toSorted((one, other) => one.tier - other.tier || other.score - one.score || one.index - other.index)
    .map(({ thing }) => thing)
}

/** A scattered match comes after every good one, even after one that destroys something. */
const tierOf = ({ destroys, disabledReason }: Searchable, score: number): number =>
  (isGood(score) ? 0 : 4) + (destroys ? 2 : 0) + (disabledReason ? 1 : 0)

function scoreOfThing(thing: Searchable, wanted: SearchedText): number | undefined {
  const { names = [], isPlace } = thing
  // Case-sensitive: q and Q are different keys.
  if (names.includes(wanted.text)) return 4
  let best: number | undefined
  for (const name of searchedNames(thing)) {
    if (name.lower === wanted.lower) return 3
    const score = scoreOf(wanted, name)
    if (score !== undefined && score > (best ?? -1)) best = score
  }
  // Of two that match alike, the one that only opens a screen comes first.
  return best === undefined ? undefined : best + (isPlace ? 0.01 : 0)
}

const namesOf = new WeakMap<Searchable, readonly SearchedText[]>()

/** Everything that a search finds it by, made when it is first searched. */
export function searchedNames(thing: Searchable): readonly SearchedText[] {
  const known = namesOf.get(thing)
  if (known) return known
  const made = [thing.label, ...(thing.names ?? [])].map(searchedText)
  namesOf.set(thing, made)
  return made
}

/**
 * The items of a list that match: those that contain what was typed, in the list's own order, then other good matches,
 * best first. So a row does not jump away from its reader while it still contains the text.
 */
export function rankRows<T>(items: readonly T[], textOf: (item: T) => SearchedText, typed: string): readonly T[] {
  if (typed === '') return items
  const wanted = searchedText(typed)
  const rest: { readonly item: T; readonly score: number }[] = []
  const literal = items.filter((item) => {
    const text = textOf(item)
    if (text.lower.includes(wanted.lower)) return true
    const score = scoreOf(wanted, text) ?? 0
    if (isGood(score)) rest.push({ item, score })
    return false
  })
  return [...literal, ...rest.toSorted((one, other) => other.score - one.score).map(({ item }) => item)]
}
