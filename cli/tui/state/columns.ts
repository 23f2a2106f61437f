/** One column of a list: what it is called, and what its things are filtered and sorted by. */
export interface Column<T> {
  /** Empty: a person cannot name it. */
  readonly title: string
  readonly value: (item: T) => ColumnValue
}

type ColumnValue = string | number | Date

export interface ListFilter {
  /** By index of the column, what has to stand in it. */
  readonly fields: readonly (readonly [column: number, wanted: string])[]
  /** What has to stand anywhere. */
  readonly phrase: string
}

/** `role:admin ada`: what stands in named columns, and a text that stands anywhere. A word before a colon that names none is text. */
export function readFilter<T>(text: string, columns: readonly Column<T>[]): ListFilter {
  const words = text.split(' ').map((word) => ({ word, field: fieldIn(word.toLowerCase(), columns) }))
  return {
    fields: words.flatMap(({ field }) => (field ? [field] : [])),
    phrase: words
      .flatMap(({ word, field }) => (field ? [] : [word]))
      .join(' ')
      .trim(),
  }
}

function fieldIn<T>(word: string, columns: readonly Column<T>[]): readonly [number, string] | undefined {
  const colon = word.indexOf(':')
  // One letter names too many columns, and stands before a colon in addresses too.
  if (colon < 2) return undefined
  const name = word.slice(0, colon)
  const column = columns.findIndex(({ title }) => nameOf(title).startsWith(name))
  return column < 0 ? undefined : [column, word.slice(colon + 1)]
}

/** What a column is called in a filter: `email` of `E-mail`. */
export const nameOf = (title: string): string => title.toLowerCase().replaceAll(/[^a-z]/g, '')

/** Whether a filter lets this through; `text` is what its phrase is looked for in. */
export const passes = <T>(
  item: T,
  text: string,
  { fields, phrase }: ListFilter,
  columns: readonly Column<T>[],
): boolean =>
  (phrase === '' || text.toLowerCase().includes(phrase.toLowerCase())) &&
  fields.every(([column, wanted]) => textOf(columns[column]?.value(item)).toLowerCase().includes(wanted))

const textOf = (value: ColumnValue | undefined): string =>
  value instanceof Date ? value.toISOString() : String(value ?? '')

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Those with the same value stay as they were. */
export function sortedBy<T>(items: readonly T[], { value }: Column<T>, isDown: boolean): readonly T[] {
  const sign = isDown ? -1 : 1
  return items
    .map((item) => ({ item, by: value(item) }))
    .sort((one, other) => sign * compare(one.by, other.by))
    .map(({ item }) => item)
}

const compare = (one: ColumnValue, other: ColumnValue): number =>
  typeof one === 'string' && typeof other === 'string' ? collator.compare(one, other) : Number(one) - Number(other)
