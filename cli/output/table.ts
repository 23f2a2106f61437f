import type { Paint } from './colour.ts'
import { visible } from './filter.ts'
import { relativeTime } from './time.ts'
import { displayWidth, fit } from './width.ts'

export type Cell = string | number | boolean | Date | readonly string[] | null | undefined

export interface Column<T> {
  readonly header: string
  readonly value: (item: T) => Cell
  /** Never shortened: an id has to be copied whole. */
  readonly isWhole?: boolean
}

export interface Page {
  readonly width: number
  readonly now: number
  readonly paint: Paint
}

const gap = '  '
const narrowest = 6

/** A borderless table no wider than the page: the widest columns give way first. */
export function table<T>(items: readonly T[], columns: readonly Column<T>[], page: Page): string[] {
  const head = columns.map((column) => column.header.toUpperCase())
  const body = items.map((item) => columns.map((column) => forPeople(column.value(item), page.now)))
  const natural = columnWidths([head, ...body])
  const least = columns.map(({ isWhole }, index) => (isWhole ? (natural[index] ?? 0) : narrowest))
  const widths = shrink(natural, least, page.width - gap.length * (columns.length - 1))
  const [first = '', ...rows] = [head, ...body].map((cells) => row(cells, widths))
  return [page.paint('dim', first), ...rows]
}

/** Tab-separated full values for the next program; no header. */
export const tabSeparated = <T>(items: readonly T[], columns: readonly Column<T>[]): string[] =>
  items.map((item) => columns.map((column) => forPrograms(column.value(item))).join('\t'))

/** One thing, a line for each of its parts. */
export function sheet<T>(item: T, columns: readonly Column<T>[], page: Page): string[] {
  const width = Math.max(...columns.map((column) => displayWidth(column.header)))
  return columns.map(({ header, value }) => {
    const label = `${header}:`.padEnd(width + 1)
    return `${page.paint('dim', label)} ${forPeople(value(item), page.now)}`
  })
}

export const sheetForPrograms = <T>(item: T, columns: readonly Column<T>[]): string[] =>
  columns.map(({ header, value }) => `${header}\t${forPrograms(value(item))}`)

function forPeople(cell: Cell, now: number): string {
  if (cell instanceof Date) return relativeTime(cell, now)
  if (cell === null || cell === undefined || cell === '') return '-'
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  return visible(Array.isArray(cell) ? cell.join(', ') : String(cell))
}

function forPrograms(cell: Cell): string {
  if (cell instanceof Date) return cell.toISOString()
  if (cell === null || cell === undefined) return ''
  return visible(Array.isArray(cell) ? cell.join(',') : String(cell))
}

const columnWidths = (rows: readonly string[][]): number[] =>
  (rows[0] ?? []).map((_, index) => Math.max(...rows.map((cells) => displayWidth(cells[index] ?? ''))))

function shrink(natural: readonly number[], least: readonly number[], room: number): number[] {
  const widths = [...natural]
  const spare = (index: number) => (widths[index] ?? 0) - (least[index] ?? 0)
  for (let excess = sum(widths) - room; excess > 0; excess -= 1) {
    const givers = widths.map((width, index) => (spare(index) > 0 ? width : 0))
    const widest = Math.max(...givers)
    if (widest === 0) break
    widths[givers.indexOf(widest)] = widest - 1
  }
  return widths
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const row = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, index) => pad(fit(cell, widths[index] ?? 0), widths[index] ?? 0))
    .join(gap)
    .trimEnd()

const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - displayWidth(text)))
