import { Box, Text } from 'ink'
import { useContext } from 'react'
import { visible } from '../../output/filter.ts'
import { useNow } from '../hooks/use-time.ts'
import { ColourContext, spinnerFrames, symbols, type Tone, toneStyle } from '../theme.ts'

/** A stretch of text with one meaning. */
export interface Span {
  readonly text: string
  readonly tone?: Tone | undefined
  readonly isBold?: boolean | undefined
  /** As the cursor is shown. */
  readonly isInverse?: boolean | undefined
}

/** One line of text, cut where the room ends. All text goes to the terminal through this file, so none can act on it. */
export const Line = ({ spans }: { readonly spans: readonly Span[] }) => <Text wrap="truncate">{wordsOf(spans)}</Text>

/** Text of any length with several meanings, wrapped. */
export const Paragraph = ({ spans }: { readonly spans: readonly Span[] }) => <Text wrap="wrap">{wordsOf(spans)}</Text>

/** Text of any length, wrapped. */
export const Prose = (span: Span) => (
  <Text wrap="wrap">
    <Words {...span} />
  </Text>
)

const wordsOf = (spans: readonly Span[]) => spans.map((span, index) => <Words key={index} {...span} />)

function Words({ text, tone = 'plain', isBold = false, isInverse = false }: Span) {
  const hasColour = useContext(ColourContext)
  return (
    <Text bold={isBold} inverse={isInverse} {...toneStyle(tone, hasColour)}>
      {visible(text)}
    </Text>
  )
}

export const Rule = ({ width }: { readonly width: number }) => (
  <Line spans={[{ text: symbols.rule.repeat(Math.max(0, width)), tone: 'muted' }]} />
)

const frameTime = 100

/** Something goes on, in one column. */
export function Spinner() {
  const frame = Math.floor(useNow(frameTime) / frameTime) % spinnerFrames.length
  return <Line spans={[{ text: spinnerFrames[frame] ?? '', tone: 'accent' }]} />
}

interface BlankProps {
  readonly width: number
  readonly height: number
}

/** Takes away what lies behind the box that it is the first part of. */
export const Blank = ({ width, height }: BlankProps) => (
  <Box position="absolute" width="100%" height="100%" overflow="hidden" flexDirection="column">
    {Array.from({ length: height }, (_, index) => (
      <Box key={index} flexShrink={0} height={1}>
        <Line spans={[{ text: ' '.repeat(Math.max(0, width)) }]} />
      </Box>
    ))}
  </Box>
)
