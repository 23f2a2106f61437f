import type { Cell, Column } from './cell.ts'
import { visible } from './filter.ts'

/** Tab-separated full values for the next program; no header. */
export const tabSeparated = <T>(items: readonly T[], columns: readonly Column<T>[]): string[] =>
  items.map((item) => columns.map((column) => forPrograms(column.value(item))).join('\t'))

/** One thing, a name and a full value a line. */
export const tabSheet = <T>(item: T, columns: readonly Column<T>[]): string[] =>
  columns.map(({ header, value }) => `${header}\t${forPrograms(value(item))}`)

function forPrograms(cell: Cell): string {
  if (cell instanceof Date) return cell.toISOString()
  if (cell === null || cell === undefined) return ''
  return visible(Array.isArray(cell) ? cell.join(',') : String(cell))
}
