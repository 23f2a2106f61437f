import stringWidth from 'string-width'
import { graphemes } from './graphemes.ts'

/** The columns that a text takes in a terminal. */
export const displayWidth = (text: string): number => stringWidth(text)

/** How many characters are looked at for that many columns: an emoji of a family takes six for each of its columns. */
const enoughFor = (columns: number): number => 8 * Math.max(columns, 0) + 64

/** Whether a text takes more columns. Of a long one the start tells: all of it would be measured anew for each line. */
function isWider(text: string, columns: number): boolean {
  const start = text.slice(0, enoughFor(columns))
  // A grapheme that is cut there may be wider than the whole one.
  return (start.length < text.length && displayWidth(start) > columns + 2) || displayWidth(text) > columns
}

/** The text if it fits in that many columns, else its start and `…`, cut between graphemes. */
export function truncateEnd(text: string, columns: number): string {
  if (!isWider(text, columns)) return text
  return columns < 1 ? '' : `${fitting(graphemes.segment(text), columns - 1).join('')}…`
}

/** The same, but keeps the end, which is what differs in ids. */
export function truncateStart(text: string, columns: number): string {
  if (!isWider(text, columns)) return text
  const backwards = () => fitting([...graphemes.segment(text.slice(-enoughFor(columns)))].toReversed(), columns - 1)
  return columns < 1 ? '' : `…${backwards().toReversed().join('')}`
}

/** The first graphemes that fit, but at least that many. */
function fitting(parts: Iterable<Intl.SegmentData>, columns: number, least = 0): readonly string[] {
  const kept: string[] = []
  let used = 0
  for (const { segment } of parts) {
    used += displayWidth(segment)
    if (used > columns && kept.length >= least) break
    kept.push(segment)
  }
  return kept
}

/** The same, but keeps start and end: of an address, the name and the domain. */
export function truncateMiddle(text: string, columns: number): string {
  if (!isWider(text, columns)) return text
  const end = truncateStart(text, Math.floor(columns / 3))
  return truncateEnd(text, columns - displayWidth(end) + 1).slice(0, -1) + end
}

const betweenWords = (text: string): readonly string[] => text.split(/(?<= )(?=\S)/)

/** The pieces between which a text can be broken: names of events after a hyphen, lists after a comma. */
export const wrapPieces = (text: string): readonly string[] => text.split(/(?<=[ ,-])(?=\S)/)

/** Wraps text to that many columns, between words where possible. Returns at least one line. */
export function wrapText(text: string, columns: number, piecesOf = betweenWords): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of piecesOf(text)) {
    if (line !== '' && isWider((line + word).trimEnd(), columns)) {
      lines.push(line.trimEnd())
      line = ''
    }
    line += word
    // Also for zero columns: a window can be that small.
    while (line !== '' && isWider(line.trimEnd(), columns)) {
      const head = fitting(graphemes.segment(line), columns, 1).join('')
      lines.push(head)
      line = line.slice(head.length)
    }
  }
  return [...lines, line.trimEnd()]
}

/** The same in at most that many lines: the last one is cut. */
export function wrapAtMost(text: string, columns: number, most: number): readonly string[] {
  const lines = wrapText(text, columns)
  return lines.length <= most
    ? lines
    : [...lines.slice(0, most - 1), truncateEnd(lines.slice(most - 1).join(' '), columns)]
}
