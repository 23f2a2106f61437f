import { displayWidth, truncateEnd } from '../../output/width.ts'

const minWidth = 6

/**
 * Shrinks the widths to fit the room. The widest columns shrink first, but the first one, which identifies the row,
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
/** A narrower column says too little to be shown. */
const minOtherWidth = 8

/**
 * Widths when the first `count` columns take precedence. They keep their full width while there is room, then the last
 * of them shrinks first. Of the other columns, those at the right are hidden (width 0).
 */
export function widthsKeepingFirst(widths: readonly number[], count: number, room: number): number[] {
  const [first, others] = [widths.slice(0, count), widths.slice(count)]
  const left = room - spaceOf(first)
  const fitting = others.filter((_, at) => spaceOf(others.slice(0, at + 1).map(atLeast)) + gapWidth <= left)
  const shown = shrinkEach(fitting, left - gapWidth * fitting.length)
  return [...narrowLast(first, -left), ...others.map((_, at) => shown[at] ?? 0)]
}

const atLeast = (width: number): number => Math.min(width, minOtherWidth)

const spaceOf = (widths: readonly number[]): number => sum(widths) + gapWidth * Math.max(0, widths.length - 1)

function narrowLast(widths: readonly number[], excess: number): readonly number[] {
  if (excess <= 0) return widths
  const last = widths.at(-1) ?? 0
  const narrowed = Math.max(Math.min(last, minWidth), last - excess)
  return shrinkEach([...widths.slice(0, -1), narrowed], sum(widths) - excess)
}

const sum = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0)

/** The text cut or padded to exactly `width` columns. */
export function fitCell(text: string, width: number): string {
  const cut = truncateEnd(text, width)
  return cut + ' '.repeat(Math.max(0, width - displayWidth(cut)))
}
