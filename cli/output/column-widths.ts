import type { Column } from './cell.ts'
import { displayWidth } from './width.ts'

interface ShownColumn {
  readonly id: Column<never>['id'] | undefined
  /** The header first. */
  readonly cells: readonly string[]
}

/** Narrower, the first column says too little to tell rows apart, and another one nothing at all. */
const [leastOfFirst, leastOfOthers] = [16, 8]
/** Signs of an id's ending, with the one that stands for what is left out; where more tell no two apart, it is whole. */
const [leastOfId, longestEnding] = [9, 24]

interface Room {
  readonly natural: number
  readonly least: number
  readonly isId: boolean
  readonly isFirst: boolean
  /** However narrow the page is. */
  readonly stays: boolean
}

/** How wide each column is shown; 0: not at all. */
export function columnWidths(columns: readonly ShownColumn[], page: number, gap: number): readonly number[] {
  const rooms = columns.map(roomOf)
  const kept = keptOf(rooms, page, gap)
  const widths = rooms.map(({ natural }, at) => (kept.includes(at) ? natural : 0))
  const excess = () => sum(widths) + gap * (kept.length - 1) - page
  // Ids first, then what is widest, then the first column; last of all, on a page too narrow for any of it, everything.
  const turns = [(at: number) => rooms[at]?.isId, (at: number) => !rooms[at]?.isFirst, () => true, () => true]
  turns.forEach((isTurn, turn) => {
    const floors = rooms.map(({ least }) => (turn === turns.length - 1 ? 1 : least))
    narrow(widths, { givers: kept.filter(isTurn), floors, excess: excess() })
  })
  return widths
}

function roomOf({ id, cells }: ShownColumn, at: number): Room {
  const natural = cells.reduce((widest, cell) => Math.max(widest, displayWidth(cell)), 0)
  const [isId, isFirst] = [id !== undefined, at === 0]
  const least = isId ? endingOf(cells.slice(1)) : isFirst ? leastOfFirst : leastOfOthers
  return { natural, isId, isFirst, stays: isFirst || id === 'argument', least: Math.min(natural, least) }
}

/** As much of ids as tells each from all others. */
function endingOf(ids: readonly string[]): number {
  const different = new Set(ids)
  for (let width = leastOfId; width < longestEnding; width += 1)
    if (new Set(Array.from(different, (id) => id.slice(1 - width))).size === different.size) return width
  return Number.POSITIVE_INFINITY
}

/** What fits at its least: columns leave from the right, ids and the first one stay. */
function keptOf(rooms: readonly Room[], page: number, gap: number): readonly number[] {
  let kept = rooms.map((_, at) => at)
  const isTooWide = () => sum(kept.map((at) => (rooms[at]?.least ?? 0) + gap)) - gap > page
  while (isTooWide()) {
    const last = kept.findLast((at) => !rooms[at]?.stays)
    if (last === undefined) return kept
    kept = kept.filter((at) => at !== last)
  }
  return kept
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
