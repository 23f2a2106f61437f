import { displayWidth, truncateEnd } from '../../output/width.ts'

const minWidth = 6

/**
 * Shrinks the widths of a menu to fit the room. The widest columns shrink first, but the first one, the label,
 * keeps up to half of the room.
 */
export function shrinkWidths(widths: readonly number[], room: number): number[] {
  const [first = 0, ...others] = widths
  const kept = Math.min(first, Math.max(minWidth, Math.floor(room / 2)))
  const rest = shrinkEach([0, ...others], room - kept)
  const left = room - sum(rest)
  return [Math.min(first, Math.max(kept, left)), ...rest.slice(1)].slice(0, widths.length)
}

function shrinkEach(widths: readonly number[], room: number): number[] {
  const result = [...widths]
  let excess = sum(result) - room
  while (excess > 0) {
    const widest = result.indexOf(Math.max(...result))
    if ((result[widest] ?? 0) <= minWidth) break
    result[widest] = (result[widest] ?? 0) - 1
    excess -= 1
  }
  return result
}

/** Terminal columns between two cells. */
export const gapWidth = 2

/** A column of a list. One without content has the width 0. */
interface ListedColumn {
  readonly natural: number
  /** Whether people know the row by it. */
  readonly isReadFirst: boolean
}

/** A narrower column says too little to be shown. */
const [leastOfFirst, leastOfOthers] = [12, 8]

/** Up to this width, what is read first is never cut. A longer text leaves two other columns their least width. */
const longestWhole = 36

/**
 * Widths of a list's columns; 0 hides one. What is read first is whole before the others get any room, unless it is
 * very long. A first column that is not read first, such as a name, takes at most a third unless room is left over.
 */
export function listWidths(columns: readonly ListedColumn[], room: number): readonly number[] {
  const widths = columns.map(() => 0)
  const numbered = columns.map((column, at) => ({ ...column, at }))
  const [first, others] = [numbered.filter((one) => one.isReadFirst), numbered.filter((one) => !one.isReadFirst)]
  const reserve = sum(
    others
      .filter(({ natural }) => natural > 0)
      .slice(0, 2)
      .map((one) => leastOf(one) + gapWidth),
  )
  for (const one of first) {
    const free = roomBeside(widths, room)
    widths[one.at] = fitting(one, Math.min(one.natural, free, Math.max(longestWhole, free - reserve)))
  }
  for (const one of others) widths[one.at] = fitting(one, Math.min(leastOf(one), roomBeside(widths, room)))
  const shown = others.filter(({ at }) => (widths[at] ?? 0) > 0)
  const third = Math.floor(room / 3)
  widen(
    widths,
    shown.map((one) => (one.at === 0 ? { ...one, natural: Math.min(one.natural, third) } : one)),
    room,
  )
  widen(widths, shown, room)
  widen(
    widths,
    first.filter(({ at }) => (widths[at] ?? 0) > 0),
    room,
  )
  return widths
}

interface NumberedColumn extends ListedColumn {
  readonly at: number
}

const leastOf = ({ at, natural }: NumberedColumn): number => Math.min(natural, at === 0 ? leastOfFirst : leastOfOthers)

const fitting = (column: NumberedColumn, width: number): number => (width < leastOf(column) ? 0 : width)

/** The width that another column could have. */
const roomBeside = (widths: readonly number[], room: number): number =>
  room - sum(widths.map((width) => (width > 0 ? width + gapWidth : 0)))

/** Widens the narrowest column, one step at a time, until all have their natural width or the room is used. */
function widen(widths: number[], columns: readonly NumberedColumn[], room: number): void {
  for (let left = roomBeside(widths, room) + gapWidth; left > 0; left -= 1) {
    const growing = columns.filter(({ at, natural }) => (widths[at] ?? 0) < natural)
    const narrowest = Math.min(...growing.map(({ at }) => widths[at] ?? 0))
    const next = growing.find(({ at }) => widths[at] === narrowest)
    if (!next) return
    widths[next.at] = narrowest + 1
  }
}

const sum = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0)

/** The text cut or padded to exactly `width` columns. */
export function fitCell(text: string, width: number): string {
  const cut = truncateEnd(text, width)
  return cut + ' '.repeat(Math.max(0, width - displayWidth(cut)))
}
