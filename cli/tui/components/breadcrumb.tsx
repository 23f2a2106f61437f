import { Box } from 'ink'
import { visible } from '../../output/filter.ts'
import { displayWidth } from '../../output/width.ts'
import { symbols } from '../theme.ts'
import { Line, type Span } from './words.tsx'

interface Tab {
  readonly key: string
  readonly title: string
  readonly isHere: boolean
}

export interface BreadcrumbProps {
  readonly titles: readonly string[]
  readonly tabs: readonly Tab[]
  readonly width: number
  /** The numbers go before the path is cut. */
  readonly isNarrow?: boolean
}

/** Where we are, and at the right, where the number keys lead: whole, in short, or their numbers alone. */
export function Breadcrumb({ titles, tabs, width, isNarrow = false }: BreadcrumbProps) {
  const path = titles.map(visible).join(` ${symbols.open} `)
  const row = rowOf(tabs, width - displayWidth(path) - 2)
  const spans: Span[] = titles.flatMap((title, index) => [
    ...(index > 0 ? [{ text: ` ${symbols.open} `, tone: 'muted' } as const] : []),
    { text: title, isBold: index === titles.length - 1 },
  ])
  return (
    <Box justifyContent="space-between" columnGap={2} height={1}>
      <Box flexShrink={1} overflow="hidden" height={1}>
        <Line spans={spans} />
      </Box>
      {!isNarrow && (
        <Box flexShrink={0}>
          <Line spans={row.spans} />
        </Box>
      )}
    </Box>
  )
}

interface Row {
  readonly spans: readonly Span[]
  readonly width: number
}

/** The roomiest way that fits; the shortest stays in any case. */
function rowOf(tabs: readonly Tab[], room: number): Row {
  const ways = [
    rowWith(tabs, '   ', ({ title }) => ` ${title}`),
    rowWith(tabs, '  ', ({ title, isHere }) => ` ${isHere ? title : title.slice(0, 3)}`),
  ]
  return ways.find(({ width }) => width <= room) ?? rowWith(tabs, ' ', () => '')
}

function rowWith(tabs: readonly Tab[], gap: string, titleOf: (tab: Tab) => string): Row {
  const spans = tabs.flatMap((tab, index) => [...(index > 0 ? [{ text: gap }] : []), ...spansOfTab(tab, titleOf(tab))])
  return { spans, width: spans.reduce((sum, { text }) => sum + displayWidth(text), 0) }
}

/** Where only numbers have room, the present one is told by brackets too, not by its colour alone. */
const spansOfTab = ({ key, isHere }: Tab, title: string): readonly Span[] => {
  if (title === '') return [{ text: isHere ? `[${key}]` : key, tone: isHere ? 'accent' : 'muted', isBold: isHere }]
  return [
    { text: key, tone: 'muted' },
    { text: title, tone: isHere ? 'accent' : 'muted', isBold: isHere },
  ]
}
