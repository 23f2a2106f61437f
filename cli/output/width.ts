import stringWidth from 'string-width'
import { graphemes } from './graphemes.ts'

/** Columns that a text takes in a terminal. */
export const displayWidth = (text: string): number => stringWidth(text)

/** The text when it has room in that many columns, else its start with `…`, cut between graphemes. */
export function fit(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  if (columns < 1) return ''
  let start = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    used += displayWidth(segment)
    if (used > columns - 1) break
    start += segment
  }
  return `${start}…`
}

/** The same, by its end: of an id that is what differs. */
export function fitEnd(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  if (columns < 1) return ''
  let end = ''
  let used = 0
  for (const { segment } of [...graphemes.segment(text)].toReversed()) {
    used += displayWidth(segment)
    if (used > columns - 1) break
    end = segment + end
  }
  return `…${end}`
}

const betweenWords = (text: string): readonly string[] => text.split(/(?<= )(?=\S)/)

/** The pieces of a text that may stand in different lines: names of events go on behind a hyphen, lists behind a comma. */
export const breakable = (text: string): readonly string[] => text.split(/(?<=[ ,-])(?=\S)/)

/** The text in lines of at most that many columns, broken between words where it can be; at least one line. */
export function wrapText(text: string, columns: number, piecesOf = betweenWords): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of piecesOf(text)) {
    if (line !== '' && displayWidth((line + word).trimEnd()) > columns) {
      lines.push(line.trimEnd())
      line = ''
    }
    line += word
    // In no columns at all too: a window may be made as small as that.
    while (line !== '' && displayWidth(line.trimEnd()) > columns) {
      const head = startOf(line, columns)
      lines.push(head)
      line = line.slice(head.length)
    }
  }
  return [...lines, line.trimEnd()]
}

/** As many characters as have room, but one at least. */
function startOf(text: string, columns: number): string {
  let start = ''
  for (const { segment } of graphemes.segment(text)) {
    if (start !== '' && displayWidth(start + segment) > columns) break
    start += segment
  }
  return start
}
