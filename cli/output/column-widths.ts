import type { Column } from './cell.ts'
import { breakable, displayWidth } from './width.ts'

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
