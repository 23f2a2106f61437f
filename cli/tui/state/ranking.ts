/** Something that is found by what is typed. */
export interface Findable {
  readonly label: string
  /** What it is found by besides: an address, a slug, the key that does the same. */
  readonly names?: readonly string[] | undefined
  /** It leads somewhere, and does nothing. */
  readonly isPlace?: boolean | undefined
  /** It takes something away: never the first by a slip. */
  readonly destroys?: boolean | undefined
  /** It cannot be done now: what can goes first. */
  readonly disabledReason?: string | undefined
}

/** What fits what was typed, the likeliest first: the whole name, its beginning, that of a word, then anything within. */
export function ranked<T extends Findable>(things: readonly T[], typed: string): readonly T[] {
  const wanted = typed.trim()
  return things
    .map((thing, index) => ({ thing, index, rank: rankOf(thing, wanted) }))
    .filter(({ rank }) => rank !== undefined)
    .sort(
      (one, other) =>
        weight(one) - weight(other) || placesFirst(one.thing, other.thing, wanted) || one.index - other.index,
    )
    .map(({ thing }) => thing)
}

/** Of two that fit alike one goes somewhere rather than does something; as long as nothing is typed all stays in its order. */
const placesFirst = (one: Findable, other: Findable, wanted: string): number =>
  wanted === '' ? 0 : Number(other.isPlace ?? false) - Number(one.isPlace ?? false)

/** More than there are ranks. */
const last = 10
const weight = ({ thing, rank = last }: { readonly thing: Findable; readonly rank: number | undefined }): number =>
  rank + (thing.disabledReason ? last : 0) + (thing.destroys ? 2 * last : 0)

const tests: readonly ((thing: Required<Pick<Findable, 'label' | 'names'>>, wanted: string) => boolean)[] = [
  // As it is written: q and Q are two keys.
  ({ names = [] }, wanted) => names.includes(wanted),
  ({ label, names = [] }, wanted) => [label, ...names].some((name) => isSame(name, wanted)),
  ({ label }, wanted) => begins(label, wanted),
  ({ label }, wanted) => wordsOf(label).some((word) => begins(word, wanted)),
  ({ names = [] }, wanted) => names.some((name) => begins(name, wanted)),
  // `change pass` is enough for `Change the password`.
  ({ label }, wanted) => wanted.split(/\s+/).every((part) => wordsOf(label).some((word) => begins(word, part))),
  ({ label }, wanted) => label.toLowerCase().includes(wanted.toLowerCase()),
  ({ names = [] }, wanted) => names.some((name) => name.toLowerCase().includes(wanted.toLowerCase())),
]

function rankOf({ label, names }: Findable, wanted: string): number | undefined {
  if (wanted === '') return 0
  const found = tests.findIndex((test) => test({ label, names }, wanted))
  return found < 0 ? undefined : found
}

const wordsOf = (text: string): readonly string[] => text.split(/[^\p{L}\p{N}]+/u)
const begins = (name: string, wanted: string): boolean => name.toLowerCase().startsWith(wanted.toLowerCase())
const isSame = (name: string, wanted: string): boolean => name.toLowerCase() === wanted.toLowerCase()
