import type { Cell, Column } from './cell.ts'
import type { Paint } from './colour.ts'
import { columnWidths } from './column-widths.ts'
import { visible } from './filter.ts'
import { relativeTime, shortTime } from './time.ts'
import { breakable, displayWidth, fit, fitEnd, wrapText } from './width.ts'
import { wrapWords } from './wrap.ts'

export interface PageFormat {
  readonly width: number
  readonly now: number
  readonly paint: Paint
}

const gap = '  '

/**
 * A borderless table no wider than the page. Ids shrink first, then what is widest; a column that has no room left is not
 * shown, from the right on: what people read first stands on the left, and stays whole the longest.
 */
export function table<T>(items: readonly T[], columns: readonly Column<T>[], page: PageFormat): string[] {
  const shown = columns.map(({ header, value, id, whole }) => ({
    id,
    whole,
    cells: [header.toUpperCase(), ...items.map((item) => tableCell(value(item), page))],
  }))
  const widths = columnWidths(shown, page.width, gap.length)
  const lines = ['', ...items].flatMap((_, index) =>
    rowOf(
      shown.flatMap(({ cells, id, whole }, at) => {
        const [text, width] = [cells[index] ?? '', widths[at] ?? 0]
        if (width === 0) return []
        return [
          { width, lines: whole ? wrapText(text, width, breakable) : [(id && index > 0 ? fitEnd : fit)(text, width)] },
        ]
      }),
    ),
  )
  const [head = '', ...rows] = lines
  return [page.paint('dim', head), ...rows]
}

interface Shown {
  readonly width: number
  readonly lines: readonly string[]
}

/** Of one line, or as many as its longest cell goes on for. */
const rowOf = (cells: readonly Shown[]): readonly string[] =>
  Array.from({ length: Math.max(1, ...cells.map(({ lines }) => lines.length)) }, (_, at) =>
    cells
      .map(({ lines, width }) => pad(lines[at] ?? '', width))
      .join(gap)
      .trimEnd(),
  )

const tableCell = (cell: Cell, { now }: PageFormat): string => forPeople(cell, (date) => shortTime(date, now))

/** One thing, a line for each of its parts; what is long goes on below, between words. */
export function sheet<T>(item: T, columns: readonly Column<T>[], page: PageFormat): string[] {
  const width = Math.max(...columns.map((column) => displayWidth(column.header)))
  return columns.flatMap(({ header, value }) => {
    const label = page.paint('dim', `${header}:`.padEnd(width + 1))
    const text = forPeople(value(item), (date) => relativeTime(date, page.now))
    const [first = '', ...others] = wrapWords(text.split(' '), page.width - width - 2, displayWidth)
    return [`${label} ${first}`, ...others.map((line) => `${' '.repeat(width + 2)}${line}`)]
  })
}

function forPeople(cell: Cell, timeOf: (date: Date) => string): string {
  if (cell instanceof Date) return timeOf(cell)
  if (cell === null || cell === undefined || cell === '') return '-'
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  return visible(Array.isArray(cell) ? cell.join(', ') : String(cell)) || '-'
}

const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - displayWidth(text)))
