import type { Context } from '../context.ts'
import type { Listing, ListPart } from '../flows/listing.ts'
import type { Column } from '../output/cell.ts'
import { countText } from '../output/words.ts'

interface ShownList<T> {
  readonly columns: Listing<T & object>['columns']
  /** The field that `--quiet` prints; default: `id`. */
  readonly id: string | undefined
  /** Shown when there is nothing. */
  readonly empty: string
}

export const partOf = <T>(listed: readonly T[] | ListPart<T>): ListPart<T> =>
  'items' in listed ? listed : { items: listed, total: listed.length, next: null }

export const columnsFor = <T extends object>(
  items: readonly T[],
  columns: Listing<T>['columns'],
): readonly Column<T>[] => (typeof columns === 'function' ? columns(items) : columns)

export async function showPart<T extends object>(
  context: Context,
  part: ListPart<T>,
  { columns, id, empty }: ShownList<T>,
): Promise<void> {
  const { items, total, next } = part
  const page = { total, next: next?.value ?? null }
  await context.out.list(items, columnsFor(items, columns), { empty, ...(id !== undefined && { id }), page })
  if (isPartial(part)) context.out.note(moreNote(part))
}

export const isPartial = <T>({ items, total, next }: ListPart<T>): boolean =>
  next !== null || items.length < (total ?? 0)

export const moreNote = <T>({ items, total, next }: ListPart<T>): string =>
  `${countText(items.length)}${total === null ? '' : ` of ${countText(total)}`} shown${next ? `. More: ${next.flags.join(' ')}, or all: --all-pages` : ''}`
