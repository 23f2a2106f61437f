import { Line, type Span } from '../../components/words.tsx'
import { type Panel, panels } from '../../keys.ts'

const titles: Readonly<Record<Panel, string>> = {
  members: 'Members',
  invitations: 'Invitations',
  teams: 'Teams',
  roles: 'Roles',
  settings: 'Settings',
}

/** Lines that the tabs take. */
export const tabsHeight = 1

/** The panels of an organization, the present one in brackets. */
export const Tabs = ({ panel, counts }: { readonly panel: Panel; readonly counts: Partial<Record<Panel, number>> }) => (
  <Line spans={panels.flatMap((name) => spansOf(name, name === panel, counts[name]))} />
)

function spansOf(name: Panel, isHere: boolean, count: number | undefined): Span[] {
  const title = `${titles[name]}${count === undefined ? '' : ` ${count}`}`
  return [
    { text: isHere ? `[${title}]` : ` ${title} `, tone: isHere ? 'accent' : 'muted', isBold: isHere },
    { text: '  ' },
  ]
}
