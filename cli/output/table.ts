import type { Cell, Column } from './cell.ts'
import type { Paint } from './colour.ts'
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

interface ShownColumn {
  readonly id?: Column<never>['id'] | undefined
  readonly whole?: Column<never>['whole'] | undefined
  /** The header first. */
  readonly cells: readonly string[]
}

/** Narrower, the first column says too little to tell rows apart, and another one nothing at all. */
const [leastOfFirst, leastOfOthers] = [16, 8]
/** Signs of an id's ending, with the one that stands for what is left out; where more tell no two apart, it is whole. */
const [leastOfId, longestEnding] = [9, 24]

interface Room {
  readonly at: number
  readonly natural: number
  readonly least: number
  /** With no word broken that is to be whole. */
  readonly unbroken: number
  readonly isId: boolean
  readonly isFirst: boolean
  readonly whole: ShownColumn['whole']
  /** However narrow the page is. */
  readonly stays: boolean
}

/** How wide each column is shown; 0: not at all. */
export function columnWidths(columns: readonly ShownColumn[], page: number, gap: number): readonly number[] {
  const rooms = columns.map(roomOf)
  const kept = keptOf(rooms, page, gap)
  const widths = rooms.map((room) => (kept.includes(room) ? room.natural : 0))
  const excess = () => sum(widths) + gap * (kept.length - 1) - page
  for (const [isTurn, floorOf] of turns)
    narrow(widths, { givers: kept.filter(isTurn).map(({ at }) => at), floors: rooms.map(floorOf), excess: excess() })
  return widths
}

const [leastOf, unbrokenOf] = [({ least }: Room) => least, ({ unbroken }: Room) => unbroken]

/**
 * Who gives way, and down to what, one after the other: ids, what is cut, what goes on below, the first column; last of all,
 * on a page too narrow for any of it, everything.
 */
const turns: readonly (readonly [isTurn: (room: Room) => boolean, floorOf: (room: Room) => number])[] = [
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
  const least = Math.min(natural, whole ? widestOf(cells.flatMap(breakable)) : cutTo())
  const unbroken = whole ? widestOf(cells.flatMap((cell) => cell.split(' '))) : least
  const stays = isFirst || id === 'argument' || whole === 'always'
  return { at, natural, least, unbroken, isId, isFirst, whole, stays }
}

const widestOf = (texts: readonly string[]): number =>
  texts.reduce((widest, text) => Math.max(widest, displayWidth(text)), 0)

/** As much of ids as tells each from all others. */
function endingOf(ids: readonly string[]): number {
  const different = new Set(ids)
  for (let width = leastOfId; width < longestEnding; width += 1)
    if (new Set(Array.from(different, (id) => id.slice(1 - width))).size === different.size) return width
  return Number.POSITIVE_INFINITY
}

/** What fits: columns leave from the right; those that are cut first, before a word of the others is broken. */
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

/** The widest gives way, one by one. */
function narrow(widths: number[], { givers, floors, excess }: Narrowing): void {
  for (let left = excess; left > 0; left -= 1) {
    const spare = givers.filter((at) => (widths[at] ?? 0) > (floors[at] ?? 0))
    const widest = spare.reduce((best, at) => ((widths[at] ?? 0) > (widths[best] ?? 0) ? at : best), spare[0] ?? -1)
    if (widest < 0) return
    widths[widest] = (widths[widest] ?? 0) - 1
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
