/**
 * Escapes text for man(7): nothing in it acts as a roff command, and everything is ASCII, which every formatter reads.
 */
export const escapeRoff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&')
    .replaceAll(
      /[^\n -~]/gu,
      (sign) => `\\[u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    )

export const bold = (text: string): string => `\\fB${escapeRoff(text)}\\fR`

export const section = (title: string, ...lines: readonly string[]): string =>
  [`.SH ${title.toUpperCase()}`, ...lines].join('\n')

export const subsection = (title: string, ...lines: readonly string[]): string =>
  [`.SS ${escapeRoff(title)}`, ...lines].join('\n')

/** A term with its meaning below it. */
export const termEntry = (term: string, meaning: string): string => `.TP\n${bold(term)}\n${escapeRoff(meaning)}`

export const paragraph = (text: string): string => `.PP\n${escapeRoff(text)}`

/** Lines that the formatter leaves unchanged. */
export const example = (lines: readonly string[]): string => ['.PP', '.EX', ...lines.map(escapeRoff), '.EE'].join('\n')

/** Turns off hyphenation and justification, so that commands can be copied. */
const plainLines = ['.nh', '.ad l']

/** A man page in section 1. `source`: the program and its version. */
export const manPage = (name: string, source: string, ...parts: readonly string[]): string =>
  [`.TH ${name.toUpperCase()} 1 "" "${source}" "Postern manual"`, ...plainLines, ...parts, ''].join('\n')
