import { escapeControls } from '../../output/escape-controls.ts'
import { matchedLetters, piecesOf } from '../search/fuzzy.ts'
import type { Span } from './primitives.tsx'

/**
 * The line with the letters underlined that match what was typed. They have a colour too, except in the selected line.
 */
export function markMatches(spans: readonly Span[], typed: string): readonly Span[] {
  if (typed.trim() === '') return spans
  const shown = spans.map((span) => ({ ...span, text: escapeControls(span.text) }))
  const letters = matchedLetters(typed, shown.map(({ text }) => text).join(''))
  if (letters.size === 0) return spans
  let from = 0
  return shown.flatMap((span) => {
    const pieces = piecesOf(span.text, letters, from)
    from += span.text.length
    return pieces.map(({ text, isMatched }) => (isMatched ? { ...span, ...markOf(span), text } : { ...span, text }))
  })
}

const markOf = ({ isInverse }: Span): Partial<Span> => ({ isUnderlined: true, ...(!isInverse && { tone: 'accent' }) })
