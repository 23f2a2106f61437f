import { Box, Text } from 'ink'
import { useContext } from 'react'
import { escapeControls } from '../../output/escape-controls.ts'
import { wrapText } from '../../output/width.ts'
import { useNow } from '../hooks/use-time.ts'
import { spinnerFrames, symbols, ThemeContext, type Tone } from '../theme.ts'

/** A piece of text with one tone. */
export interface Span {
  readonly text: string
  readonly tone?: Tone | undefined
  readonly isBold?: boolean | undefined
  /** Inverted, as the cursor is. */
  readonly isInverse?: boolean | undefined
  readonly isUnderlined?: boolean | undefined
}

/**
 * One line of text, cut at the width. All text reaches the terminal through this file, so control characters are always
 * filtered.
 */
export const Line = ({ spans }: { readonly spans: readonly Span[] }) => <Text wrap="truncate">{wordsOf(spans)}</Text>

/** Lines of text, each with its spans. */
export type SpanLines = readonly (readonly Span[])[]

/** Lines that never give up their height: a box without room cuts the last ones, instead of painting two in one place. */
export const Lines = ({ lines }: { readonly lines: SpanLines }) => (
  <Box flexDirection="column" flexShrink={0}>
    {lines.map((spans, index) => (
      <Line key={index} spans={spans.length > 0 ? spans : [{ text: ' ' }]} />
    ))}
  </Box>
)

/** The spans in as many lines as they need, for whoever has to count them first. */
export function wrapSpans(spans: readonly Span[], columns: number): SpanLines {
  const shown = spans.map((span) => ({ ...span, text: escapeControls(span.text) }))
  const whole = shown.map(({ text }) => text).join('')
  let end = 0
  return wrapText(whole, columns).map((line) => {
    // Blanks between two lines belong to neither.
    const start = whole.indexOf(line, end)
    end = start + line.length
    return partOf(shown, start, end)
  })
}

/** What the spans have between two places of their whole text. */
function partOf(spans: readonly Span[], from: number, to: number): readonly Span[] {
  let start = 0
  return spans.flatMap((span) => {
    const text = span.text.slice(Math.max(0, from - start), Math.max(0, to - start))
    start += span.text.length
    return text === '' ? [] : [{ ...span, text }]
  })
}

/** Wrapped text with several tones. */
export const Paragraph = ({ spans }: { readonly spans: readonly Span[] }) => <Text wrap="wrap">{wordsOf(spans)}</Text>

/** Wrapped text with one tone. */
export const Prose = (span: Span) => (
  <Text wrap="wrap">
    <StyledText {...span} />
  </Text>
)

const wordsOf = (spans: readonly Span[]) => spans.map((span, index) => <StyledText key={index} {...span} />)

function StyledText({ text, tone = 'plain', isBold = false, isInverse = false, isUnderlined = false }: Span) {
  const { tones } = useContext(ThemeContext)
  return (
    <Text bold={isBold} inverse={isInverse} underline={isUnderlined} {...tones[tone]}>
      {escapeControls(text)}
    </Text>
  )
}

/** The look of a border in a role. */
export function useBorder(tone: Tone) {
  const { color, dimColor } = useContext(ThemeContext).tones[tone]
  return { ...(color && { borderColor: color }), ...(dimColor && { borderDimColor: true }) }
}

export const Rule = ({ width }: { readonly width: number }) => (
  <Line spans={[{ text: symbols.rule.repeat(Math.max(0, width)), tone: 'muted' }]} />
)

const frameTime = 100

/** An activity indicator, one column wide. */
export function Spinner() {
  const frame = Math.floor(useNow(frameTime) / frameTime) % spinnerFrames.length
  return <Line spans={[{ text: spinnerFrames[frame] ?? '', tone: 'accent' }]} />
}

/** The first child of a box: covers what lies behind the box. */
export const Blank = ({ width, height }: { readonly width: number; readonly height: number }) => (
  <Box position="absolute" width="100%" height="100%" overflowY="hidden" flexDirection="column">
    {Array.from({ length: height }, (_, index) => (
      <Box key={index} flexShrink={0} height={1}>
        <Line spans={[{ text: ' '.repeat(Math.max(0, width)) }]} />
      </Box>
    ))}
  </Box>
)
