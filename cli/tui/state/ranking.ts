/** Something that is found by what is typed. */
export interface Findable {
  readonly label: string
  /** What it is found by besides: an address, a slug, the key that does the same. */
  readonly names?: readonly string[] | undefined
  /** It takes something away: never the first by a slip. */
  readonly destroys?: boolean | undefined
}

/** What fits what was typed, the likeliest first: the whole name, its beginning, that of a word, then anything within. */
export function ranked<T extends Findable>(things: readonly T[], typed: string): readonly T[] {
  const wanted = typed.trim()
  return things
    .map((thing, index) => ({ thing, index, rank: rankOf(thing, wanted) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((one, other) => weight(one) - weight(other) || one.index - other.index)
    .map(({ thing }) => thing)
}

/** More than there are ranks. */
const last = 10
const weight = ({ thing, rank = last }: { readonly thing: Findable; readonly rank: number | undefined }): number =>
  rank + (thing.destroys ? last : 0)

const tests: readonly ((thing: Required<Pick<Findable, 'label' | 'names'>>, wanted: string) => boolean)[] = [
  // As it is written: q and Q are two keys.
  ({ names = [] }, wanted) => names.includes(wanted),
  ({ label, names = [] }, wanted) => [label, ...names].some((name) => isSame(name, wanted)),
  ({ label }, wanted) => begins(label, wanted),
  ({ label }, wanted) => label.split(/[^\p{L}\p{N}]+/u).some((word) => begins(word, wanted)),
  ({ names = [] }, wanted) => names.some((name) => begins(name, wanted)),
  ({ label }, wanted) => label.toLowerCase().includes(wanted.toLowerCase()),
  ({ names = [] }, wanted) => names.some((name) => name.toLowerCase().includes(wanted.toLowerCase())),
]

function rankOf({ label, names }: Findable, wanted: string): number | undefined {
  if (wanted === '') return 0
  const found = tests.findIndex((test) => test({ label, names }, wanted))
  return found < 0 ? undefined : found
}

const begins = (name: string, wanted: string): boolean => name.toLowerCase().startsWith(wanted.toLowerCase())
const isSame = (name: string, wanted: string): boolean => name.toLowerCase() === wanted.toLowerCase()
