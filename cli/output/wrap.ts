/** Wraps text to that many columns. A longer word gets its own line. */
export const wrap = (text: string, columns: number): readonly string[] => wrapWords(text.split(' '), columns)

const countSigns = (text: string): number => text.length

/** `widthOf`: for text from others, pass a function that counts columns. */
export function wrapWords(words: readonly string[], columns: number, widthOf = countSigns): readonly string[] {
  const lines: string[] = []
  for (const word of words) {
    const line = lines.at(-1)
    if (line !== undefined && widthOf(line) + 1 + widthOf(word) <= columns) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}

export type Row = readonly [term: string, text: string]

/** Terms with their texts next to them. A term that is too long for that stands on its own line. */
export function wrapRows(rows: readonly Row[], columns: number): readonly string[] {
  const widths = rows.map(([term]) => term.length + 4)
  const left = Math.max(8, ...widths.filter((width) => width <= columns * 0.45))
  return rows.flatMap(([term, text]) => {
    const lines = wrap(text, columns - left)
    const beside = term.length + 4 > left ? ['', ...lines] : lines
    return beside.map((line, index) => `${(index === 0 ? `  ${term}` : '').padEnd(left)}${line}`.trimEnd())
  })
}

/** Wraps a page whose paragraphs are single lines, indented to where their text begins. Commands are never broken. */
export const wrapPage = (page: string, columns: number): string =>
  page
    .split('\n')
    .flatMap((line) => (/^ +(?:[A-Z_]+=\S+ )?postern (?!.* {2})/.test(line) ? [line] : wrapParagraph(line, columns)))
    .join('\n')

function wrapParagraph(line: string, columns: number): readonly string[] {
  const [term = ''] = /^ *(?:\d+\. |- |\S.* {2,}(?=\S))?/.exec(line) ?? []
  const [first = '', ...rest] = wrap(line.slice(term.length), columns - term.length)
  return [`${term}${first}`, ...rest.map((text) => `${' '.repeat(term.length)}${text}`)]
}
