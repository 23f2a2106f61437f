import type { Cell, Column } from './cell.ts'
import type { Paint } from './colour.ts'
import { visible } from './filter.ts'
import { relativeTime, shortTime } from './time.ts'
import { displayWidth, fit } from './width.ts'

export interface PageFormat {
  readonly width: number
  readonly now: number
  readonly paint: Paint
}

const gap = '  '
const minWidth = 6

/** A borderless table no wider than the page: the widest columns give way first. */
export function table<T>(items: readonly T[], columns: readonly Column<T>[], page: PageFormat): string[] {
  const head = columns.map((column) => column.header.toUpperCase())
  const body = items.map((item) =>
    columns.map((column) => forPeople(column.value(item), (date) => shortTime(date, page.now))),
  )
  const natural = columnWidths([head, ...body])
  const least = columns.map(({ isWhole }, index) => (isWhole ? (natural[index] ?? 0) : minWidth))
  const widths = shrink(natural, least, page.width - gap.length * (columns.length - 1))
  const [first = '', ...rows] = [head, ...body].map((cells) => row(cells, widths))
  return [page.paint('dim', first), ...rows]
}

/** One thing, a line for each of its parts. */
export function sheet<T>(item: T, columns: readonly Column<T>[], page: PageFormat): string[] {
  const width = Math.max(...columns.map((column) => displayWidth(column.header)))
  return columns.map(({ header, value }) => {
    const label = `${header}:`.padEnd(width + 1)
    return `${page.paint('dim', label)} ${forPeople(value(item), (date) => relativeTime(date, page.now))}`
  })
}

function forPeople(cell: Cell, timeOf: (date: Date) => string): string {
  if (cell instanceof Date) return timeOf(cell)
  if (cell === null || cell === undefined || cell === '') return '-'
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  return visible(Array.isArray(cell) ? cell.join(', ') : String(cell))
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
