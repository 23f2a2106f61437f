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
  const left = room - rest.reduce((sum, width) => sum + width, 0)
  return [Math.min(first, Math.max(kept, left)), ...rest.slice(1)].slice(0, widths.length)
}

function shrinkEach(widths: readonly number[], room: number): number[] {
  const result = [...widths]
  let excess = result.reduce((sum, width) => sum + width, 0) - room
  while (excess > 0) {
    const widest = result.indexOf(Math.max(...result))
    if ((result[widest] ?? 0) <= minWidth) break
    result[widest] = (result[widest] ?? 0) - 1
    excess -= 1
  }
  return result
}

/** The text in exactly that many columns. */
export function cell(text: string, width: number): string {
  const cut = fit(text, width)
  return cut + ' '.repeat(Math.max(0, width - displayWidth(cut)))
}
