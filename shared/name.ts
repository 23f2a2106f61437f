/** In code units: a name is shown in one line of a terminal, a mail and a page. */
export const maxNameLength = 200

/**
 * Something that can be seen: neither blanks nor what Unicode lets be drawn as nothing (Hangul fillers, U+3164), nor the braille
 * pattern without dots, which is a sign by its category alone.
 */
const seen = /[^\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

/** A name that looks like none. */
export const isBlank = (text: string): boolean => !seen.test(text)
