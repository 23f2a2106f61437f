import { single } from 'fuzzysort'
import { graphemes } from '../../output/graphemes.ts'

/** From this score on, the library calls a match good. Below it, letters are scattered over the text. */
const good = 0.5

/** A text, with what every search in it needs: a long list is searched at every key. */
export interface SearchedText {
  readonly text: string
  readonly lower: string
  /** Only printable ASCII, as most texts are. */
  readonly isPlain: boolean
}

export const searchedText = (text: string): SearchedText => ({
  text,
  lower: text.toLowerCase(),
  isPlain: /^[ -~]*$/.test(text),
})

/**
 * How well a text matches what was typed, from 0 to 1. Its letters have to be there in this order, for each word that
 * was typed. Upper case and accents do not matter. A text that contains what was typed is always a good match.
 */
export function scoreOf(typed: SearchedText, text: SearchedText): number | undefined {
  if (!mayMatch(typed, text)) return undefined
  const score = single(typed.text, text.text)?.score
  return (score ?? 0) < good && text.lower.includes(typed.lower) ? good : score
}

/**
 * Whether the letters of each word are there in this order at all. It costs little, so that the library looks at few of
 * many texts. Of accents only the library knows.
 */
export const mayMatch = (typed: SearchedText, text: SearchedText): boolean =>
  !typed.isPlain || !text.isPlain || typed.lower.split(' ').every((word) => isInOrder(word, text.lower))

function isInOrder(word: string, text: string): boolean {
  let at = 0
  for (const letter of word) {
    at = text.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}

export const isGood = (score: number): boolean => score >= good

/** Indexes of the letters in a shown line that match what was typed. */
export function matchedLetters(typed: string, line: string): ReadonlySet<number> {
  const wanted = typed.trim()
  if (wanted === '') return new Set()
  const whole = lettersOf(wanted, line)
  return new Set(whole.length > 0 ? whole : wanted.split(/\s+/).flatMap((word) => lettersOfWord(word, line)))
}

const lettersOfWord = (word: string, line: string): readonly number[] => {
  const found = lettersOf(word, line)
  return found.length > 0 ? found : lettersOfBestPart(word, line)
}

/** Every place where the line contains the text unchanged. */
const lettersOf = (text: string, line: string): readonly number[] =>
  Array.from(line.matchAll(new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`), 'gi'))).flatMap(
    ({ index, 0: found }) => Array.from(found, (_, at) => index + at),
  )

/** The letters in that part of the line which matches best. Two blanks separate the parts. */
function lettersOfBestPart(word: string, line: string): readonly number[] {
  const found = Array.from(line.matchAll(/\S+(?: \S+)*/g)).flatMap(({ index, 0: part }) => {
    const match = single(word, part)
    return match ? [{ index, match }] : []
  })
  const [best] = found.toSorted((one, other) => other.match.score - one.match.score)
  return best ? best.match.indexes.map((at) => best.index + at) : []
}

/** The text in pieces that are matched or not. A grapheme stays whole. */
export function piecesOf(
  text: string,
  letters: ReadonlySet<number>,
  from = 0,
): readonly { readonly text: string; readonly isMatched: boolean }[] {
  if (letters.size === 0) return [{ text, isMatched: false }]
  const pieces: { text: string; isMatched: boolean }[] = []
  for (const { segment, index } of graphemes.segment(text)) {
    const isMatched = Array.from(segment, (_, at) => from + index + at).some((at) => letters.has(at))
    const last = pieces.at(-1)
    if (last?.isMatched === isMatched) last.text += segment
    else pieces.push({ text: segment, isMatched })
  }
  return pieces
}
