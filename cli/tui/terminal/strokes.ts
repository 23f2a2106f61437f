import { graphemes } from '../../output/graphemes.ts'
import { isMouse } from './mouse.ts'

/** Alt keys that edit a line: a word back, a word forward, delete the next word. */
const altKeys = 'bfd'

/** One key press as its bytes, or one pasted text. */
export interface Stroke {
  readonly text: string
  readonly isPaste: boolean
}

/** The Escape key as kitty's CSI u sequence, which no later byte can change. */
export const escapeKey = '\u001b[27u'
export const interruptKey = '\u0003'
/** What a terminal sends when its window gains or loses the focus. */
export const [focusIn, focusOut] = ['\u001b[I', '\u001b[O']

const escape = '\u001b'
export const pasteStart = '\u001b[200~'
const pasteEnd = '\u001b[201~'

// All three patterns match what follows ESC: `[[A` (function keys of the Linux console), `[…` with a final character,
// or `O` with one.
const sequence = /\[\[[A-E]|\[[0-?]*[ -/]*[@-~]|O[A-Za-z]/y
// An incomplete sequence at the end of a read.
const unfinished = /^(?:\[\[?|\[[0-?]*[ -/]*|O)?$/
const known = /^(?:\[|O)(?:1?(?:;\d+)?([ABCDHF])|(Z)|([14-8])(?:;\d+)?~)$/
const canonical: Readonly<Record<string, string>> = { 1: 'H', 7: 'H', 4: 'F', 8: 'F', 5: '5~', 6: '6~' }

/**
 * Splits terminal input into strokes, and returns the incomplete rest. Keys that arrived together are separated, a
 * bracketed paste stays whole, and unknown sequences are dropped.
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

interface ParsedInput {
  readonly strokes: readonly Stroke[]
  readonly end: number
}

function takePaste(input: string, at: number): ParsedInput | undefined {
  const end = input.indexOf(pasteEnd, at)
  if (end < 0) return undefined
  const text = toSingleLine(input.slice(at + pasteStart.length, end))
  return { strokes: text ? [{ text, isPaste: true }] : [], end: end + pasteEnd.length }
}

function takeKeys(input: string, at: number): ParsedInput | undefined {
  if (input[at] !== escape) return takeText(input, at)
  if (unfinished.test(input.slice(at + 1))) return undefined
  sequence.lastIndex = at + 1
  const found = sequence.exec(input)?.[0]
  // Escape and the next key in one read: the few keys bound to Alt stay together, all others are two keys.
  if (!found && altKeys.includes(input[at + 1] ?? '')) return { strokes: [key(input.slice(at, at + 2))], end: at + 2 }
  if (!found) return { strokes: [key(escapeKey)], end: at + 1 }
  const normal = normalSequence(found)
  return { strokes: normal ? [key(normal)] : [], end: at + 1 + found.length }
}

function takeText(input: string, at: number): ParsedInput {
  const next = input.indexOf(escape, at)
  const end = next < 0 ? input.length : next
  const parts = [...graphemes.segment(input.slice(at, end))].map(({ segment }) => normalText(segment))
  return { strokes: parts.filter((part) => part !== '').map(key), end }
}

const key = (text: string): Stroke => ({ text, isPaste: false })

function normalSequence(found: string): string {
  const whole = escape + found
  if ([escapeKey, focusIn, focusOut].includes(whole) || isMouse(whole)) return whole
  const [, letter, shiftTab, number] = known.exec(found) ?? []
  const final = letter ?? shiftTab ?? canonical[number ?? '']
  return final ? `${escape}[${final}` : ''
}

/** Control characters that keep their meaning: Ctrl and a letter, which any action can have, and backspace. */
const isKept = (segment: string): boolean => segment === '\u007f' || (segment >= '\u0001' && segment <= '\u001a')

/** Unifies all forms of Enter and drops all other control characters. */
function normalText(segment: string): string {
  if (segment === '\r\n' || segment === '\n') return '\r'
  const isControl = /^\p{Cc}$/u.test(segment)
  return !isControl || isKept(segment) ? segment : ''
}

/**
 * A pasted text as a single line: without a final newline, with other newlines as spaces, without control characters.
 */
export const toSingleLine = (text: string): string =>
  text
    .replace(/[\r\n]+$/, '')
    .replaceAll(/\r\n|[\r\n\t]/g, ' ')
    .replaceAll(/\p{Cc}/gu, '')
