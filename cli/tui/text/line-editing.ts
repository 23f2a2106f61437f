import { graphemes } from '../../output/graphemes.ts'
import { displayWidth } from '../../output/width.ts'
import type { Intent } from '../keys/names.ts'

/** A text that is typed into; `at`: what is typed comes before this code unit. */
export interface TypedLine {
  readonly text: string
  readonly at: number
}

export const insert = ({ text, at }: TypedLine, typed: string): TypedLine => ({
  text: text.slice(0, at) + typed + text.slice(at),
  at: at + typed.length,
})

/** What the keys that edit do; each moves and deletes what a person takes for one character. */
const edits: Partial<Readonly<Record<Intent, (line: TypedLine) => TypedLine>>> = {
  'line-left': ({ text, at }) => ({ text, at: before(text, at) }),
  'line-right': ({ text, at }) => ({ text, at: at + first(text.slice(at)).length }),
  'line-word-left': ({ text, at }) => ({ text, at: wordBefore(text, at) }),
  'line-word-right': ({ text, at }) => ({ text, at: wordAfter(text, at) }),
  'line-start': ({ text }) => ({ text, at: 0 }),
  'line-end': ({ text }) => ({ text, at: text.length }),
  'erase-one': ({ text, at }) => cut(text, before(text, at), at),
  'erase-word': ({ text, at }) => cut(text, wordBefore(text, at), at),
  'erase-next-word': ({ text, at }) => cut(text, at, wordAfter(text, at)),
  'erase-rest': ({ text, at }) => cut(text, at, text.length),
  'erase-line': () => ({ text: '', at: 0 }),
}

/** Undefined where the key does nothing to a text. */
export const edited = (line: TypedLine, intent: Intent): TypedLine | undefined => edits[intent]?.(line)

const cut = (text: string, from: number, to: number): TypedLine => ({
  text: text.slice(0, from) + text.slice(to),
  at: from,
})

const wordBefore = (text: string, at: number): number => text.slice(0, at).replace(/\S*\s*$/, '').length
const wordAfter = (text: string, at: number): number => at + (/^\s*\S*/.exec(text.slice(at))?.[0].length ?? 0)

const before = (text: string, at: number): number => graphemes.segment(text).containing(at - 1)?.index ?? 0
const first = (text: string): string => graphemes.segment(text).containing(0)?.segment ?? ''

/** What of a line has room, the cursor always with it; `under` is what the cursor stands on. */
export interface LineWindow {
  readonly before: string
  readonly under: string
  readonly after: string
}

export function windowOf({ text, at }: TypedLine, room: number): LineWindow {
  const under = first(text.slice(at)) || ' '
  const left = room - displayWidth(under)
  // No character takes so many code units for each of its columns: of a long text no more is looked at.
  const near = left * 16
  const start = fitting([...segmentsOf(text.slice(Math.max(0, at - near), at))].reverse(), left)
  const after = text.slice(at + under.length)
  return {
    before: start.reverse().join(''),
    under,
    after: fitting(segmentsOf(after.slice(0, near)), left - displayWidth(start.join(''))).join(''),
  }
}

const segmentsOf = (text: string): readonly string[] => [...graphemes.segment(text)].map(({ segment }) => segment)

/** As many of them as have room, from the first on. */
function fitting(segments: readonly string[], columns: number): string[] {
  let used = 0
  const end = segments.findIndex((segment) => {
    used += displayWidth(segment)
    return used > columns
  })
  return segments.slice(0, end < 0 ? undefined : end)
}
