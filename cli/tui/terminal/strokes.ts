import { graphemes } from '../../output/graphemes.ts'

/** What a line is edited by together with Alt: a word back, on, away. */
const altKeys = 'bfd'

/** What one press gives: the bytes of a key, or a pasted text. */
export interface Stroke {
  readonly text: string
  readonly isPaste: boolean
}

/** The escape key, in a spelling (kitty's CSI u) that no later byte can turn into something else. */
export const escapeKey = '\u001b[27u'
export const interruptKey = '\u0003'
/** What a terminal sends when its window is looked at, and when it is not any more. */
export const [focusIn, focusOut] = ['\u001b[I', '\u001b[O']

const escape = '\u001b'
export const pasteStart = '\u001b[200~'
const pasteEnd = '\u001b[201~'

// All three look at what follows the ESC: [ [ A (function keys of the Linux console), [ … final, O final.
const sequence = /\[\[[A-E]|\[[0-?]*[ -/]*[@-~]|O[A-Za-z]/y
// The start of one of these, cut by the end of a read.
const unfinished = /^(?:\[\[?|\[[0-?]*[ -/]*|O)?$/
const known = /^(?:\[|O)(?:1?(?:;\d+)?([ABCDHF])|(Z)|([14-8])(?:;\d+)?~)$/
const canonical: Readonly<Record<string, string>> = { 1: 'H', 7: 'H', 4: 'F', 8: 'F', 5: '5~', 6: '6~' }

/**
 * Bytes of a terminal as single strokes, and the rest that needs more bytes. Keys that arrive together come apart,
 * a bracketed paste stays whole, and sequences that mean nothing here fall away.
 */
export function splitStrokes(input: string): { strokes: Stroke[]; rest: string } {
  const strokes: Stroke[] = []
  let at = 0
  while (at < input.length) {
    const next = input.startsWith(pasteStart, at) ? takePaste(input, at) : takeKeys(input, at)
    if (!next) return { strokes, rest: input.slice(at) }
    strokes.push(...next.strokes)
    at = next.end
  }
  return { strokes, rest: '' }
}

interface Taken {
  readonly strokes: readonly Stroke[]
  readonly end: number
}

function takePaste(input: string, at: number): Taken | undefined {
  const end = input.indexOf(pasteEnd, at)
  if (end < 0) return undefined
  const text = oneLine(input.slice(at + pasteStart.length, end))
  return { strokes: text ? [{ text, isPaste: true }] : [], end: end + pasteEnd.length }
}

function takeKeys(input: string, at: number): Taken | undefined {
  if (input[at] !== escape) return takeText(input, at)
  if (unfinished.test(input.slice(at + 1))) return undefined
  sequence.lastIndex = at + 1
  const found = sequence.exec(input)?.[0]
  // Escape and the next key in one read: few keys are bound to Alt, all others are two keys.
  if (!found && altKeys.includes(input[at + 1] ?? '')) return { strokes: [key(input.slice(at, at + 2))], end: at + 2 }
  if (!found) return { strokes: [key(escapeKey)], end: at + 1 }
  const normal = normalSequence(found)
  return { strokes: normal ? [key(normal)] : [], end: at + 1 + found.length }
}

function takeText(input: string, at: number): Taken {
  const next = input.indexOf(escape, at)
  const end = next < 0 ? input.length : next
  const parts = [...graphemes.segment(input.slice(at, end))].map(({ segment }) => normalText(segment))
  return { strokes: parts.filter((part) => part !== '').map(key), end }
}

const key = (text: string): Stroke => ({ text, isPaste: false })

function normalSequence(found: string): string {
  if ([escapeKey, focusIn, focusOut].includes(escape + found)) return escape + found
  const [, letter, shiftTab, number] = known.exec(found) ?? []
  const final = letter ?? shiftTab ?? canonical[number ?? '']
  return final ? `${escape}[${final}` : ''
}

/** Ctrl+C; what edits a line: Ctrl+A, E, K, U, W and two backspaces; what a form does: Ctrl+O, R; enter and tab. */
const keptControls = '\u0003\u0001\u0005\u000b\u000f\u0012\u0015\u0017\b\u007f\r\t'

/** Enter in all its spellings; other control characters than those fall away. */
function normalText(segment: string): string {
  if (segment === '\r\n' || segment === '\n') return '\r'
  const isControl = /^\p{Cc}$/u.test(segment)
  return !isControl || keptControls.includes(segment) ? segment : ''
}

/** A pasted text for a field of one line: no newline at its end, others as spaces, no control characters. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\r\n]+$/, '')
    .replaceAll(/\r\n|[\r\n\t]/g, ' ')
    .replaceAll(/\p{Cc}/gu, '')
