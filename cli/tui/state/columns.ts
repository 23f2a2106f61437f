/** One column of a list: its title, and the value for filtering and sorting. */
export interface Column<T> {
  /** Empty when a filter cannot refer to it. */
  readonly title: string
  /** Whether people know the item by it, so that it is shown whole before the rest. */
  readonly readFirst?: boolean
  readonly value: (item: T) => ColumnValue
}

type ColumnValue = string | number | Date

interface ListFilter {
  /** The text that each column has to contain, by column index. */
  readonly fields: readonly (readonly [column: number, wanted: string])[]
  /** The text that the item has to contain anywhere. */
  readonly phrase: string
}

/**
 * Parses a filter such as `role:admin ada`: terms for single columns, and a phrase for the whole item. A prefix that
 * names no column is part of the phrase.
 */
export function parseFilter<T>(text: string, columns: readonly Column<T>[]): ListFilter {
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
  // A single letter matches too many columns, and stands before a colon in IPv6 addresses.
  if (colon < 2) return undefined
  const name = word.slice(0, colon)
  const column = columns.findIndex(({ title }) => filterNameOf(title).startsWith(name))
  return column < 0 ? undefined : [column, word.slice(colon + 1)]
}

/** The name of a column in a filter, such as `lastused` for `Last used`. */
export const filterNameOf = (title: string): string => title.toLowerCase().replaceAll(/[^a-z]/g, '')

/** Whether the columns of an item contain what the filter wants of them. */
export const matchesFields = <T>(item: T, { fields }: ListFilter, columns: readonly Column<T>[]): boolean =>
  fields.every(([column, wanted]) => textOf(columns[column]?.value(item)).toLowerCase().includes(wanted))

const textOf = (value: ColumnValue | undefined): string =>
  value instanceof Date ? value.toISOString() : String(value ?? '')

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Sorts stably by a column. */
export function sortedBy<T>(items: readonly T[], { value }: Column<T>, isDown: boolean): readonly T[] {
  const sign = isDown ? -1 : 1
  return items
    .map((item) => ({ item, by: value(item) }))
    .sort((one, other) => sign * compare(one.by, other.by))
    .map(({ item }) => item)
}

const compare = (one: ColumnValue, other: ColumnValue): number =>
  typeof one === 'string' && typeof other === 'string' ? collator.compare(one, other) : Number(one) - Number(other)
