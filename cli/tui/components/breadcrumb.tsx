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
}

/** Where we are, and at the right, where the number keys lead, as long as both have room. */
export function Breadcrumb({ titles, tabs, width }: BreadcrumbProps) {
  const path = titles.map(visible).join(` ${symbols.open} `)
  const tabsWidth = displayWidth(tabs.map(({ key, title }) => `${key} ${title}`).join('   '))
  const spans: Span[] = titles.flatMap((title, index) => [
    ...(index > 0 ? [{ text: ` ${symbols.open} `, tone: 'muted' } as const] : []),
    { text: title, isBold: index === titles.length - 1 },
  ])
  return (
    <Box justifyContent="space-between" columnGap={2} height={1}>
      <Box flexShrink={1} overflow="hidden" height={1}>
        <Line spans={spans} />
      </Box>
      {displayWidth(path) + tabsWidth + 2 <= width && (
        <Box flexShrink={0}>
          <Line spans={tabs.flatMap(spansOfTab)} />
        </Box>
      )}
    </Box>
  )
}

const spansOfTab = ({ key, title, isHere }: Tab, index: number): Span[] => [
  ...(index > 0 ? [{ text: '   ' }] : []),
  { text: `${key} `, tone: 'muted' },
  { text: title, tone: isHere ? 'accent' : 'muted', isBold: isHere },
]
