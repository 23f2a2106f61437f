import { Text } from 'ink'
import { useContext } from 'react'
import { visible } from '../../output/filter.ts'
import { ColourContext, type Tone, toneStyle } from '../theme.ts'

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
