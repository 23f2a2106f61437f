import stringWidth from 'string-width'

const graphemes = new Intl.Segmenter()

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
