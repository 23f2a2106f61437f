import { Box } from 'ink'
import { type ReactNode, useContext } from 'react'
import { escapeControls } from '../../output/escape-controls.ts'
import { displayWidth, truncateEnd } from '../../output/width.ts'
import { Footer } from '../components/footer.tsx'
import { Header } from '../components/header.tsx'
import { Line, Rule, type Span } from '../components/primitives.tsx'
import { useKeymap } from '../hooks/use-keymap.ts'
import { indexAt, useMouse } from '../hooks/use-mouse.ts'
import { useLayout } from '../hooks/use-size.ts'
import { screenFooterKeysOf } from '../keymap/key-text.ts'
import { type NumberedScreen, numberedScreens } from '../keymap/names.ts'
import type { AppState } from '../state/app-state.ts'
import type { Route } from '../state/shell-state.ts'
import { symbols, ThemeContext } from '../theme.ts'

interface ChromeProps {
  /** The top line. */
  readonly top: ReactNode
  /** Titles of the stacked screens. */
  readonly titles: readonly string[]
  /** The screen at the bottom of the stack. */
  readonly here: string
  readonly isHidden?: boolean
  /** What a click on a numbered screen, or on a part of the path, does. */
  readonly pointer?: ChromePointer
  readonly children: ReactNode
}

interface ChromePointer {
  readonly openScreen: (screen: NumberedScreen) => void
  /** Returns to the screen at that place of the path. */
  readonly goBackTo: (index: number) => void
}

/** The chrome around every screen: the top line, the path and the number keys. */
export function Chrome({ top, titles, here, isHidden = false, pointer, children }: ChromeProps) {
  const { width, frame, isNarrow } = useLayout()
  const { background } = useContext(ThemeContext)
  const tabs = numberedScreens.map(({ screen, key, title }) => ({ screen, key, title, isHere: here === screen }))
  return (
    <Box
      flexDirection="column"
      height={frame}
      paddingX={1}
      overflow="hidden"
      display={isHidden ? 'none' : 'flex'}
      {...(background && { backgroundColor: background })}
    >
      {top}
      <Breadcrumb titles={titles} tabs={tabs} width={width} isNarrow={isNarrow} pointer={pointer} />
      {!isNarrow && (
        <>
          <Rule width={width} />
          <Line spans={[{ text: ' ' }]} />
        </>
      )}
      {children}
    </Box>
  )
}

interface Tab {
  readonly screen: NumberedScreen
  readonly key: string
  readonly title: string
  readonly isHere: boolean
}

interface BreadcrumbProps {
  readonly titles: readonly string[]
  readonly tabs: readonly Tab[]
  readonly width: number
  /** Shortens the tabs to numbers before it cuts the path. */
  readonly isNarrow?: boolean
  readonly pointer?: ChromePointer | undefined
}

const pathGap = ` ${symbols.open} `
/** A title in the path is not cut to fewer columns. */
const leastTitle = 8

/** Cuts the titles before the last one, the longest first: what the screen is about stays readable. */
function fitPath(titles: readonly string[], room: number): readonly string[] {
  const path = [...titles]
  for (;;) {
    const excess = displayWidth(path.join(pathGap)) - room
    const widths = path.slice(0, -1).map((title) => displayWidth(title))
    const widest = Math.max(...widths)
    if (excess <= 0 || widest <= leastTitle) return path
    const at = widths.indexOf(widest)
    path[at] = truncateEnd(path[at] ?? '', Math.max(leastTitle, widest - excess))
  }
}

/** The path of screens, and the number keys at the right: with full titles, short titles, or numbers only. */
export function Breadcrumb({ titles, tabs, width, isNarrow = false, pointer }: BreadcrumbProps) {
  const whole = titles.map(escapeControls)
  const row = rowOf(tabs, width - displayWidth(whole.join(pathGap)) - 2)
  const path = fitPath(whole, isNarrow ? width : width - row.width - 2)
  const spans: Span[] = path.flatMap((title, index) => [
    ...(index > 0 ? [{ text: pathGap, tone: 'muted' } as const] : []),
    { text: title, isBold: index === path.length - 1 },
  ])
  const pathBox = useMouse(pointer !== undefined, {
    press: (_, column) => {
      const at = indexAt(path, pathGap, column)
      if (at !== undefined) pointer?.goBackTo(at)
    },
  })
  const tabBox = useMouse(pointer !== undefined, {
    press: (_, column) => {
      const tab = tabs[indexAt(row.texts, row.gap, column) ?? -1]
      if (tab) pointer?.openScreen(tab.screen)
    },
  })
  return (
    <Box justifyContent="space-between" columnGap={2} height={1}>
      <Box ref={pathBox} flexShrink={1} overflow="hidden" height={1}>
        <Line spans={spans} />
      </Box>
      {!isNarrow && (
        <Box ref={tabBox} flexShrink={0}>
          <Line spans={row.spans} />
        </Box>
      )}
    </Box>
  )
}

interface Row {
  readonly spans: readonly Span[]
  readonly texts: readonly string[]
  readonly gap: string
  readonly width: number
}

/** The widest variant that fits, or else the shortest. */
function rowOf(tabs: readonly Tab[], room: number): Row {
  const ways = [
    rowWith(tabs, '   ', ({ title }) => ` ${title}`),
    rowWith(tabs, '  ', ({ title, isHere }) => ` ${isHere ? title : title.slice(0, 3)}`),
  ]
  return ways.find(({ width }) => width <= room) ?? rowWith(tabs, ' ', () => '')
}

function rowWith(tabs: readonly Tab[], gap: string, titleOf: (tab: Tab) => string): Row {
  const parts = tabs.map((tab) => spansOfTab(tab, titleOf(tab)))
  const texts = parts.map((some) => some.map(({ text }) => text).join(''))
  const spans = parts.flatMap((some, index) => [...(index > 0 ? [{ text: gap }] : []), ...some])
  return { spans, texts, gap, width: spans.reduce((sum, { text }) => sum + displayWidth(text), 0) }
}

/** When only numbers fit, brackets mark the current one, since not all terminals have colour. */
const spansOfTab = ({ key, isHere }: Tab, title: string): readonly Span[] => {
  if (title === '') return [{ text: isHere ? `[${key}]` : key, tone: isHere ? 'accent' : 'muted', isBold: isHere }]
  return [
    { text: key, tone: 'muted' },
    { text: title, tone: isHere ? 'accent' : 'muted', isBold: isHere },
  ]
}

/** Shown when the window is too small for the frame. */
export function TooSmall() {
  const { width, frame } = useLayout()
  return (
    <Box flexDirection="column" height={Math.max(1, frame)} overflow="hidden">
      <Line spans={[{ text: `Too small: ${width + 2}×${frame + 1}` }]} />
      <Line spans={[{ text: 'Needed: 40×10. ctrl+c quits', tone: 'muted' }]} />
    </Box>
  )
}

/** The title of a screen. An organization has its current name, whoever changed it. */
export function routeTitle(
  { screen, subject, title }: Route,
  { organizations }: Partial<Pick<AppState, 'organizations'>>,
): string {
  const organization = screen === 'organization' ? organizations?.find(({ id }) => id === subject) : undefined
  if (organization) return organization.name
  if (title !== undefined) return title
  if (screen === 'session') return 'Session'
  if (screen === 'request') return `Request ${subject ?? ''}`
  return numberedScreens.find((numberedScreen) => numberedScreen.screen === screen)?.title ?? screen
}

export interface OpeningProps {
  readonly server: string
  readonly screen: NumberedScreen
  readonly isReadOnly: boolean
}

/** The first frame, painted before the screens are loaded. Keys wait until they are. */
export function Opening({ server, screen, isReadOnly }: OpeningProps) {
  const { width, body, isNarrow, isTooSmall } = useLayout()
  const keymap = useKeymap()
  if (isTooSmall) return <TooSmall />
  const keys = screenFooterKeysOf(keymap, screen, true)
  const top = (
    <Header
      server={server}
      account={undefined}
      organization={undefined}
      impersonating={undefined}
      isReadOnly={isReadOnly}
      link="connecting"
      isBusy={false}
    />
  )
  return (
    <Chrome top={top} titles={[routeTitle({ screen }, {})]} here={screen}>
      <Box height={body} flexShrink={0} />
      {!isNarrow && <Rule width={width} />}
      <Footer keys={keys} width={width} />
    </Chrome>
  )
}
