import { displayWidth, fit } from '../../output/width.ts'

const minWidth = 6

/**
 * Widths that fill no more than the room: the widest columns give way first, but the first one, by which people know a thing,
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

/** Columns between two cells. */
export const gapWidth = 2
/** Narrower, a column that others come before says nothing. */
const leastOfOthers = 8

/**
 * Widths for so many columns that are read first, and others: the first are whole as long as there is room, the last of them
 * gives way before the rest of them; of the others those at the right go, which is a width of 0.
 */
export function keepFirst(widths: readonly number[], count: number, room: number): number[] {
  const [first, others] = [widths.slice(0, count), widths.slice(count)]
  const left = room - spaceOf(first)
  const fitting = others.filter((_, at) => spaceOf(others.slice(0, at + 1).map(atLeast)) + gapWidth <= left)
  const shown = shrinkEach(fitting, left - gapWidth * fitting.length)
  return [...giveWay(first, -left), ...others.map((_, at) => shown[at] ?? 0)]
}

const atLeast = (width: number): number => Math.min(width, leastOfOthers)

const spaceOf = (widths: readonly number[]): number => sum(widths) + gapWidth * Math.max(0, widths.length - 1)

function giveWay(widths: readonly number[], excess: number): readonly number[] {
  if (excess <= 0) return widths
  const last = widths.at(-1) ?? 0
  const narrowed = Math.max(Math.min(last, minWidth), last - excess)
  return shrinkEach([...widths.slice(0, -1), narrowed], sum(widths) - excess)
}

const sum = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0)

/** The text in exactly that many columns. */
export function cell(text: string, width: number): string {
  const cut = fit(text, width)
  return cut + ' '.repeat(Math.max(0, width - displayWidth(cut)))
}
