import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError, notFoundError } from '../output/cli-error.ts'
import { countText } from '../output/words.ts'

/** How people refer to a kind of item. */
export interface Naming<T> {
  /** Its name in the singular. */
  readonly kind: string
  /** Matched whole or by a unique ending, because narrow tables show only the ending of an id. */
  readonly ids: (item: T) => readonly string[]
  /**
   * Other ways to match a word, in order: matches of an earlier one hide those of later ones. Ids and their endings
   * come before names.
   */
  readonly ways: readonly ((item: T, word: string) => boolean)[]
  /** Describes a candidate, including its id, so that candidates can be told apart. */
  readonly describe: (item: T) => string
  /** The command that lists them. */
  readonly list: string
}

/** Least characters of an id ending. With fewer, ordinary names would match ids. */
const shortest = 6
/** Longer lists of candidates are not read. */
const mostShown = 10

/** Returns the item that a word refers to. Exit 6 if there is none, 7 with the candidates if there are several. */
export function pickOne<T>(items: readonly T[], word: string, naming: Naming<T>): T {
  const byId = items.filter((item) => naming.ids(item).includes(word))
  const named = byId.length > 0 ? byId : byName(items, word, naming)
  const [found, ...others] = named
  if (found === undefined) return pickByEnding(items, word, naming)
  if (others.length === 0) return found
  throw ambiguous([found, ...others], `${others.length + 1} ${naming.kind}s are called ${word}`, naming)
}

/**
 * People can choose names that look like the ending of another item's id. A word with the mark of a table is never a
 * name; any other word that fits both is ambiguous.
 */
function byName<T>(items: readonly T[], word: string, naming: Naming<T>): readonly T[] {
  if (isMarkedEnding(word)) return []
  const matches = naming.ways.map((names) => items.filter((item) => names(item, word)))
  const called = matches.find(({ length }) => length > 0) ?? []
  if (called.length === 0 || !isPossibleIdEnding(word)) return called
  return [...new Set([...called, ...endingWith(items, word, naming)])]
}

export const isId = (word: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(word)

/** Whether a word is long enough to be an id ending. */
export const isPossibleIdEnding = (word: string): boolean => withoutMark(word).length >= shortest

const endingWith = <T>(items: readonly T[], ending: string, { ids }: Naming<T>): readonly T[] =>
  items.filter((item) => ids(item).some((id) => id.endsWith(ending)))

/** The mark that tables put before an id ending. */
const mark = '…'
export const isMarkedEnding = (word: string): boolean => word.startsWith(mark)

/** The word without the mark of a table. */
export const withoutMark = (word: string): string => (isMarkedEnding(word) ? word.slice(mark.length) : word)

/** For words that match no id or name: the word can be an id ending, with or without the mark of a table. */
function pickByEnding<T>(items: readonly T[], word: string, naming: Naming<T>): T {
  const { kind, list } = naming
  const ending = withoutMark(word)
  const matches = ending === '' ? [] : endingWith(items, ending, naming)
  const [found, ...others] = matches
  if (found === undefined) throw notFoundError(`No ${kind} ${word === '' ? '""' : word}`, list)
  if (!isPossibleIdEnding(word))
    throw ambiguous(
      matches,
      `No ${kind} ${word}; as the ending of an id it is too short: it needs at least ${shortest} characters`,
      naming,
    )
  if (others.length > 0) throw ambiguous(matches, `The ids of ${matches.length} ${kind}s end with ${ending}`, naming)
  return found
}

function ambiguous<T>(matches: readonly T[], message: string, { describe }: Pick<Naming<T>, 'describe'>): CliError {
  const more = matches.length - mostShown
  return new CliError(exitCodes.conflict, message, {
    code: 'AMBIGUOUS',
    details: [...matches.slice(0, mostShown).map(describe), ...(more > 0 ? [`and ${countText(more)} more`] : [])],
    hint: 'Give the whole id',
  })
}

/** Completion words: a name if it is unique, else the id. Names that begin like a flag are not offered. */
export function uniqueNamesOrIds(items: readonly { readonly id: string; readonly name: string }[]): readonly string[] {
  const names = items.map(({ name }) => name)
  const isPlain = (name: string) => !name.startsWith('-') && names.indexOf(name) === names.lastIndexOf(name)
  return items.map(({ id, name }) => (isPlain(name) ? name : id))
}

/** The most similar word for a misspelt one: at most two letters in five differ. Undefined if none is similar. */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  const [found] = words
    .map((candidate) => ({ candidate, distance: distanceOf(word, candidate) }))
    .filter(({ candidate, distance }) => distance <= 0.4 * Math.max(word.length, candidate.length))
    .toSorted((one, other) => one.distance - other.distance)
  return found?.candidate
}

/** The Levenshtein distance: how many letters have to be inserted, deleted or replaced. */
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
