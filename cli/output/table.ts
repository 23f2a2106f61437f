import type { Cell, Column } from './cell.ts'
import type { Paint } from './colour.ts'
import { escapeControls } from './escape-controls.ts'
import { relativeTime, shortTime } from './time.ts'
import { displayWidth, truncateEnd, truncateStart, wrapPieces, wrapText } from './width.ts'
import { wrapWords } from './wrap.ts'

export interface PageFormat {
  readonly width: number
  readonly now: number
  readonly paint: Paint
}

const gap = '  '

/**
 * A table without borders, no wider than the page. Id columns shrink first, then the widest. If there is still no room,
 * columns are dropped from the right, because people read the left ones first.
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
          {
            width,
            lines: whole
              ? wrapText(text, width, wrapPieces)
              : [(id && index > 0 ? truncateStart : truncateEnd)(text, width)],
          },
        ]
      }),
    ),
  )
  const [head = '', ...rows] = lines
  return [page.paint('dim', head), ...rows]
}

interface RenderedCell {
  readonly width: number
  readonly lines: readonly string[]
}

/** A row is as many lines high as its tallest cell. */
const rowOf = (cells: readonly RenderedCell[]): readonly string[] =>
  Array.from({ length: Math.max(1, ...cells.map(({ lines }) => lines.length)) }, (_, at) =>
    cells
      .map(({ lines, width }) => pad(lines[at] ?? '', width))
      .join(gap)
      .trimEnd(),
  )

const tableCell = (cell: Cell, { now }: PageFormat): string => forPeople(cell, (date) => shortTime(date, now))

/** One item with a line for each field. Long values continue below, wrapped between words. */
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
  return escapeControls(Array.isArray(cell) ? cell.join(', ') : String(cell)) || '-'
}

const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - displayWidth(text)))

interface ShownColumn {
  readonly id?: Column<never>['id'] | undefined
  readonly whole?: Column<never>['whole'] | undefined
  /** Starts with the header. */
  readonly cells: readonly string[]
}

/** Below this width, the first column no longer tells rows apart and other columns say nothing. */
const [leastOfFirst, leastOfOthers] = [16, 8]
/**
 * Least and greatest width of an id ending, including its mark. If the greatest does not tell two ids apart, the id is
 * shown whole.
 */
const [leastOfId, longestEnding] = [9, 24]

interface Room {
  readonly at: number
  readonly natural: number
  readonly least: number
  /** Width at which no word of an uncut column is broken. */
  readonly unbroken: number
  readonly isId: boolean
  readonly isFirst: boolean
  readonly whole: ShownColumn['whole']
  /** Kept on any page, however narrow. */
  readonly stays: boolean
}

/** The width of each column; 0 hides it. */
export function columnWidths(columns: readonly ShownColumn[], page: number, gap: number): readonly number[] {
  const rooms = columns.map(roomOf)
  const kept = keptOf(rooms, page, gap)
  const widths = rooms.map((room) => (kept.includes(room) ? room.natural : 0))
  const excess = () => sum(widths) + gap * (kept.length - 1) - page
  for (const [isTurn, floorOf] of shrinkOrder)
    narrow(widths, { givers: kept.filter(isTurn).map(({ at }) => at), floors: rooms.map(floorOf), excess: excess() })
  return widths
}

const [leastOf, unbrokenOf] = [({ least }: Room) => least, ({ unbroken }: Room) => unbroken]

/**
 * Which columns shrink, and to which width, in this order: ids, cut columns, wrapped columns, the first column.
 * Finally, on a page too narrow for all this, every column.
 */
const shrinkOrder: readonly (readonly [isTurn: (room: Room) => boolean, floorOf: (room: Room) => number])[] = [
  [({ isId }) => isId, leastOf],
  [({ isFirst, whole }) => !isFirst && whole === undefined, leastOf],
  [({ whole }) => whole !== undefined, unbrokenOf],
  [({ whole }) => whole === 'room', leastOf],
  [({ isFirst }) => !isFirst, leastOf],
  [() => true, leastOf],
  [() => true, () => 1],
]

function roomOf({ id, whole, cells }: ShownColumn, at: number): Room {
  const [natural, isId, isFirst] = [widestOf(cells), id !== undefined, at === 0]
  const cutTo = () => (isId ? endingOf(cells.slice(1)) : isFirst ? leastOfFirst : leastOfOthers)
  const least = Math.min(natural, whole ? widestOf(cells.flatMap(wrapPieces)) : cutTo())
  const unbroken = whole ? widestOf(cells.flatMap((cell) => cell.split(' '))) : least
  const stays = isFirst || id === 'argument' || whole === 'always'
  return { at, natural, least, unbroken, isId, isFirst, whole, stays }
}

const widestOf = (texts: readonly string[]): number =>
  texts.reduce((widest, text) => Math.max(widest, displayWidth(text)), 0)

/** The shortest ending that tells all ids apart. */
function endingOf(ids: readonly string[]): number {
  const different = new Set(ids)
  for (let width = leastOfId; width < longestEnding; width += 1)
    if (new Set(Array.from(different, (id) => id.slice(1 - width))).size === different.size) return width
  return Number.POSITIVE_INFINITY
}

/**
 * The columns that fit. Columns are dropped from the right, those that can be cut before a word in the others is
 * broken.
 */
function keptOf(rooms: readonly Room[], page: number, gap: number): readonly Room[] {
  const fitting = (all: readonly Room[], widthOf: (room: Room) => number, mayLeave: (room: Room) => boolean) => {
    let kept = all
    while (sum(kept.map((room) => widthOf(room) + gap)) - gap > page) {
      const last = kept.findLast(mayLeave)
      if (last === undefined) return kept
      kept = kept.filter((room) => room !== last)
    }
    return kept
  }
  const beside = fitting(rooms, unbrokenOf, ({ stays, whole }) => !stays && whole === undefined)
  const widthOf = ({ whole, unbroken, least }: Room) => (whole === 'always' ? unbroken : least)
  return fitting(beside, widthOf, ({ stays }) => !stays)
}

interface Narrowing {
  readonly givers: readonly number[]
  readonly floors: readonly number[]
  readonly excess: number
}

/** Shrinks the widest column, one step at a time. */
function narrow(widths: number[], { givers, floors, excess }: Narrowing): void {
  for (let left = excess; left > 0; left -= 1) {
    const spare = givers.filter((at) => (widths[at] ?? 0) > (floors[at] ?? 0))
    const widest = spare.reduce((best, at) => ((widths[at] ?? 0) > (widths[best] ?? 0) ? at : best), spare[0] ?? -1)
    if (widest < 0) return
    widths[widest] = (widths[widest] ?? 0) - 1
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
