import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError, notFoundError } from '../output/cli-error.ts'

/** How people name a thing. */
export interface Naming<T> {
  /** What it is called, in the singular. */
  readonly kind: string
  /** Whole, or by an ending that only one has: a table shows no more of an id where room is dear. */
  readonly ids: (item: T) => readonly string[]
  /** Whether the word names it otherwise; what the first way finds hides what the later ones would: a name never beats an id, nor its ending. */
  readonly ways: readonly ((item: T, word: string) => boolean)[]
  /** Tells candidates apart; with the id. */
  readonly describe: (item: T) => string
  /** The command that shows them all. */
  readonly list: string
}

/** Signs of an ending: of fewer, any word that was meant as a name would soon be one. */
const shortest = 6
/** More than these nobody reads to find the one that is meant. */
const mostShown = 10

/** The one thing that a word names. Exit 6 when there is none, 7 with the candidates when there are several. */
export function pickOne<T>(items: readonly T[], word: string, naming: Naming<T>): T {
  const byId = items.filter((item) => naming.ids(item).includes(word))
  const named = byId.length > 0 ? byId : byName(items, word, naming)
  const [found, ...others] = named
  if (found === undefined) return pickByEnding(items, word, naming)
  if (others.length === 0) return found
  throw ambiguous([found, ...others], `${others.length + 1} ${naming.kind}s are called ${word}`, naming)
}

/**
 * People choose names, also those that look like the ending of somebody else's id: as such a word is written in a table it is
 * never a name, and else it means both.
 */
function byName<T>(items: readonly T[], word: string, naming: Naming<T>): readonly T[] {
  if (isMarked(word)) return []
  const matches = naming.ways.map((names) => items.filter((item) => names(item, word)))
  const called = matches.find(({ length }) => length > 0) ?? []
  if (called.length === 0 || !isLong(word)) return called
  return [...new Set([...called, ...endingWith(items, word, naming)])]
}

/** As long as the ending of an id has to be. */
export const isLong = (word: string): boolean => endingOf(word).length >= shortest

const endingWith = <T>(items: readonly T[], ending: string, { ids }: Naming<T>): readonly T[] =>
  items.filter((item) => ids(item).some((id) => id.endsWith(ending)))

/** What a table puts before the ending of an id. */
const mark = '…'
export const isMarked = (word: string): boolean => word.startsWith(mark)

/** What the word says of an id. */
export const endingOf = (word: string): string => (isMarked(word) ? word.slice(mark.length) : word)

/** Of those that no id or name finds: a word may be the ending of an id, with or without the sign that a table puts before it. */
function pickByEnding<T>(items: readonly T[], word: string, naming: Naming<T>): T {
  const { kind, list } = naming
  const ending = endingOf(word)
  const matches = ending === '' ? [] : endingWith(items, ending, naming)
  const [found, ...others] = matches
  if (found === undefined) throw notFoundError(`No ${kind} ${word}`, list)
  if (!isLong(word))
    throw ambiguous(
      matches,
      `No ${kind} ${word}; as the ending of an id it is too short, ${shortest} signs will do`,
      naming,
    )
  if (others.length > 0) throw ambiguous(matches, `The ids of ${matches.length} ${kind}s end with ${ending}`, naming)
  return found
}

function ambiguous<T>(matches: readonly T[], message: string, { describe }: Pick<Naming<T>, 'describe'>): CliError {
  const more = matches.length - mostShown
  return new CliError(exitCodes.conflict, message, {
    code: 'AMBIGUOUS',
    details: [...matches.slice(0, mostShown).map(describe), ...(more > 0 ? [`and ${more} more`] : [])],
    hint: 'Give the whole id of the one that is meant',
  })
}

/** What a shell completes: a name that one alone has, else the id; one that begins like a flag would be taken for one. */
export function namesOrIds(items: readonly { readonly id: string; readonly name: string }[]): readonly string[] {
  const names = items.map(({ name }) => name)
  const isPlain = (name: string) => !name.startsWith('-') && names.indexOf(name) === names.lastIndexOf(name)
  return items.map(({ id, name }) => (isPlain(name) ? name : id))
}

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
