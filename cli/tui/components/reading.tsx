import { Box } from 'ink'
import { useLayoutEffect } from 'react'
import type { Fact } from '../../flows/resource-fields.ts'
import { type Intents, useBindings } from '../hooks/use-bindings.ts'
import { useScroll } from '../hooks/use-scroll.ts'
import type { Tone } from '../theme.ts'
import { Dialog, dialogOverhead, dialogRoom, titleWithRange } from './dialog.tsx'
import { factLines } from './facts.tsx'
import { Lines, type SpanLines, wrapSpans } from './primitives.tsx'

interface ReadingProps {
  readonly width: number
  readonly height: number
  /** Told whether the text has more lines than there is room for. */
  readonly onLong: (isLong: boolean) => void
  readonly onClose: () => void
}

interface TextProps extends ReadingProps {
  readonly title: string
  readonly tone?: Tone
  /** Parts with a blank line between them, if there is room. */
  readonly parts: readonly SpanLines[]
  readonly scope: 'error' | 'offer'
  readonly intents?: Intents
}

/** A text that is read, and scrolled where it is longer than the window. */
function ReadText({ title, tone = 'accent', parts, scope, intents, width, height, onLong, onClose }: TextProps) {
  const most = height - dialogOverhead(height)
  const spaced = parts.flatMap((part) => [[], ...part])
  const lines = spaced.length > most ? parts.flat() : spaced
  const room = Math.max(1, Math.min(lines.length, most))
  const { start, intents: moves, box } = useScroll(lines.length, room)
  const isLong = lines.length > room
  useLayoutEffect(() => onLong(isLong), [onLong, isLong])
  useBindings(scope, { ...moves, ...intents, cancel: onClose })
  return (
    <Dialog
      title={titleWithRange(title, { start, shown: room, count: lines.length })}
      tone={tone}
      width={width}
      height={height}
    >
      <Box ref={box} flexDirection="column" flexShrink={0}>
        <Lines lines={lines.slice(start, start + room)} />
      </Box>
    </Dialog>
  )
}

interface ErrorViewProps extends ReadingProps {
  readonly title?: string | undefined
  readonly sentence: string
  readonly hint: string | undefined
  readonly details: readonly (readonly [label: string, value: string])[]
  /** The form that fixes the failure. */
  readonly offer: { readonly label: string; readonly onTake: () => void } | undefined
}

/** A failure in full: what happened, what to do next, and the details. */
export function ErrorView({ title = 'That did not work', sentence, hint, details, offer, ...rest }: ErrorViewProps) {
  const room = dialogRoom(rest.width)
  const facts = details.map(([label, value]) => ({ label, value, tone: 'muted' as const }))
  const parts = [
    [
      ...wrapSpans([{ text: sentence }], room),
      ...(hint === undefined ? [] : wrapSpans([{ text: hint, tone: 'muted' }], room)),
      ...(offer ? wrapSpans([{ text: 'enter', tone: 'accent' }, { text: `  ${offer.label}` }], room) : []),
    ],
    factLines(facts, room, 8),
  ]
  const more = offer ? ({ scope: 'offer', intents: { open: offer.onTake } } as const) : ({ scope: 'error' } as const)
  return <ReadText title={title} tone="danger" parts={parts} {...more} {...rest} />
}

/** All facts about a resource whose screen has no room for them. */
export const DetailsView = ({ facts, ...rest }: ReadingProps & { readonly facts: readonly Fact[] }) => (
  <ReadText title={allDetails} parts={[factLines(facts, dialogRoom(rest.width))]} scope="error" {...rest} />
)

export const allDetails = 'All details'
