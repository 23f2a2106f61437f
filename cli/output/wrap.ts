/** The text in lines of at most that many columns; a longer word has a line of its own. */
export const wrap = (text: string, columns: number): readonly string[] => wrapWords(text.split(' '), columns)

const countSigns = (text: string): number => text.length

/** `widthOf`: of what others wrote, columns are to be counted. */
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

/** Terms with their texts beside them. A term that would leave little room for them stands above its own. */
export function wrapRows(rows: readonly Row[], columns: number): readonly string[] {
  const widths = rows.map(([term]) => term.length + 4)
  const left = Math.max(8, ...widths.filter((width) => width <= columns * 0.45))
  return rows.flatMap(([term, text]) => {
    const lines = wrap(text, columns - left)
    const beside = term.length + 4 > left ? ['', ...lines] : lines
    return beside.map((line, index) => `${(index === 0 ? `  ${term}` : '').padEnd(left)}${line}`.trimEnd())
  })
}

/** A page of which each paragraph is a line, going on below where its text begins; a command is never broken. */
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
