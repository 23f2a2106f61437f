/** Text for man(7): no character of it is a command of roff. */
export const plain = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&')

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

/** A page of section 1. `source`: the program and its version. */
export const page = (name: string, source: string, ...parts: readonly string[]): string =>
  [`.TH ${name.toUpperCase()} 1 "" "${source}" "Postern manual"`, ...parts, ''].join('\n')
