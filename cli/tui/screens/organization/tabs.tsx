import { countText } from '../../../output/count.ts'
import { Line, type Span } from '../../components/words.tsx'
import { type Panel, panels, panelTitles } from '../../keys/keys.ts'

export interface TabsProps {
  readonly panel: Panel
  readonly counts: Partial<Record<Panel, number>>
  readonly width: number
}

/** The panels of an organization, the present one in brackets; where there is no room for all, that one and how many there are. */
export function Tabs({ panel, counts, width }: TabsProps) {
  const texts = panels.map((name) => textOf(name, name === panel, counts[name]))
  const at = panels.indexOf(panel)
  const isWide = texts.join('  ').length <= width
  const shown = isWide ? texts : texts.slice(at, at + 1)
  const spans = shown.map((text): Span => {
    const isHere = text === texts[at]
    return { text: `${text}  `, tone: isHere ? 'accent' : 'muted', isBold: isHere }
  })
  return <Line spans={isWide ? spans : [...spans, { text: `${at + 1} of ${panels.length}, tab`, tone: 'muted' }]} />
}

function textOf(name: Panel, isHere: boolean, count: number | undefined): string {
  const title = `${panelTitles[name]}${count === undefined ? '' : ` ${countText(count)}`}`
  return isHere ? `[${title}]` : ` ${title} `
}
