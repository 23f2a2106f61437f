/** Text for man(7): no character of it is a command of roff, and all are ASCII, which every formatter reads. */
export const plain = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&')
    .replaceAll(
      /[^\n -~]/gu,
      (sign) => `\\[u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    )

export const bold = (text: string): string => `\\fB${plain(text)}\\fR`

export const section = (title: string, ...lines: readonly string[]): string =>
  [`.SH ${title.toUpperCase()}`, ...lines].join('\n')

export const subsection = (title: string, ...lines: readonly string[]): string =>
  [`.SS ${plain(title)}`, ...lines].join('\n')

/** A term, and below it what it means. */
export const entry = (term: string, meaning: string): string => `.TP\n${bold(term)}\n${plain(meaning)}`

export const paragraph = (text: string): string => `.PP\n${plain(text)}`

/** Lines that stand as they are. */
export const example = (lines: readonly string[]): string => ['.PP', '.EX', ...lines.map(plain), '.EE'].join('\n')

/** No word of a command is broken, and no blank is widened. */
const plainLines = ['.nh', '.ad l']

/** A page of section 1. `source`: the program and its version. */
export const page = (name: string, source: string, ...parts: readonly string[]): string =>
  [`.TH ${name.toUpperCase()} 1 "" "${source}" "Postern manual"`, ...plainLines, ...parts, ''].join('\n')
