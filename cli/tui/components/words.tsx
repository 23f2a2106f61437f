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

/** One line of text, cut where the room ends. All text goes to the terminal through here or `Prose`, so none can act on it. */
export const Line = ({ spans }: { readonly spans: readonly Span[] }) => (
  <Text wrap="truncate">
    {spans.map((span, index) => (
      <Words key={index} {...span} />
    ))}
  </Text>
)

/** Text of any length, wrapped. */
export const Prose = (span: Span) => (
  <Text wrap="wrap">
    <Words {...span} />
  </Text>
)

function Words({ text, tone = 'plain', isBold = false, isInverse = false }: Span) {
  const hasColour = useContext(ColourContext)
  return (
    <Text bold={isBold} inverse={isInverse} {...toneStyle(tone, hasColour)}>
      {visible(text)}
    </Text>
  )
}
