import { graphemes } from './graphemes.ts'

/** A line of text being edited. `at` is the cursor, in code units. */
export interface TypedLine {
  readonly text: string
  readonly at: number
}

export const insert = ({ text, at }: TypedLine, typed: string): TypedLine => ({
  text: text.slice(0, at) + typed + text.slice(at),
  at: at + typed.length,
})

/** What each editing key does. Moves and deletions work on graphemes, so none cuts a character in half. */
export const lineEdits = {
  'line-left': ({ text, at }) => ({ text, at: before(text, at) }),
  'line-right': ({ text, at }) => ({ text, at: at + characterAt(text, at).length }),
  'line-word-left': ({ text, at }) => ({ text, at: wordBefore(text, at) }),
  'line-word-right': ({ text, at }) => ({ text, at: wordAfter(text, at) }),
  'line-start': ({ text }) => ({ text, at: 0 }),
  'line-end': ({ text }) => ({ text, at: text.length }),
  'erase-one': ({ text, at }) => cut(text, before(text, at), at),
  'erase-word': ({ text, at }) => cut(text, wordBefore(text, at), at),
  'erase-next-word': ({ text, at }) => cut(text, at, wordAfter(text, at)),
  'erase-rest': ({ text, at }) => cut(text, at, text.length),
  'erase-line': () => ({ text: '', at: 0 }),
} as const satisfies Readonly<Record<string, (line: TypedLine) => TypedLine>>

export type LineEdit = keyof typeof lineEdits

const cut = (text: string, from: number, to: number): TypedLine => ({
  text: text.slice(0, from) + text.slice(to),
  at: from,
})

/** Anchored at the start: from each place of a long text in turn, the search for the end would take too long. */
const wordBefore = (text: string, at: number): number => /^.*\s/s.exec(text.slice(0, at).trimEnd())?.[0].length ?? 0
const wordAfter = (text: string, at: number): number => at + (/^\s*\S*/.exec(text.slice(at))?.[0].length ?? 0)

const before = (text: string, at: number): number => graphemes.segment(text).containing(at - 1)?.index ?? 0

/** The whole character at the cursor; empty at the end. */
export const characterAt = (text: string, at: number): string =>
  graphemes.segment(text.slice(at)).containing(0)?.segment ?? ''
