import { Box } from 'ink'
import type { Detail } from '../../flows/resource-fields.ts'
import { factLines } from '../components/facts.tsx'
import { Line, Lines, type SpanLines, wrapSpans } from '../components/primitives.tsx'
import { useScroll } from '../hooks/use-scroll.ts'
import { useShell } from '../hooks/use-shell.ts'
import { positionOf } from './list-view.tsx'
import { Page, type PageProps } from './page.tsx'

interface DetailPageProps extends Pick<PageProps, 'screen' | 'isActive' | 'intents' | 'actions'> {
  readonly detail: Detail
}

/** Something without actions of its own on a screen of its own, in full. It scrolls where there is too little room. */
export function DetailPage({ detail, intents, ...page }: DetailPageProps) {
  const { width, height } = useShell()
  const lines = linesOf(detail, width)
  // The last line tells the position.
  const room = lines.length > height ? height - 1 : height
  const { start, intents: moves, box } = useScroll(lines.length, room, page.isActive)
  const position = positionOf(start, room, lines.length)
  return (
    <Page {...page} intents={{ ...moves, ...intents }}>
      <Box ref={box} flexDirection="column" flexShrink={0}>
        <Lines lines={lines.slice(start, start + room)} />
        {position !== '' && <Line spans={[{ text: position, tone: 'muted' }]} />}
      </Box>
    </Page>
  )
}

const linesOf = ({ facts, texts = [] }: Detail, width: number): SpanLines => [
  ...factLines(facts, width),
  ...texts.flatMap((text) => [[], ...wrapSpans([text], width)]),
]
