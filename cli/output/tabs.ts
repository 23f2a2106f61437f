import type { Cell, Column } from './cell.ts'
import { visible } from './filter.ts'

/** Tab-separated full values for the next program; no header. */
export const tabSeparated = <T>(items: readonly T[], columns: readonly Column<T>[]): string[] =>
  items.map((item) => columns.map((column) => fullOf(item, column)).join('\t'))

/** One thing, a name and a full value a line. */
export const tabSheet = <T>(item: T, columns: readonly Column<T>[]): string[] =>
  columns.map((column) => `${column.header}\t${fullOf(item, column)}`)

const fullOf = <T>(item: T, { value, full = value }: Column<T>): string => forPrograms(full(item))

function forPrograms(cell: Cell): string {
  if (cell instanceof Date) return cell.toISOString()
  if (cell === null || cell === undefined) return ''
  return visible(Array.isArray(cell) ? cell.join(',') : String(cell))
}
