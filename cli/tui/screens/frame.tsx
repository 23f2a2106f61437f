import { Box } from 'ink'
import { Breadcrumb } from '../components/breadcrumb.tsx'
import { Header } from '../components/header.tsx'
import { Rule } from '../components/rule.tsx'
import { Line } from '../components/words.tsx'
import { useAppState } from '../hooks/use-app-state.ts'
import { useShell } from '../hooks/use-shell.ts'
import { numberedScreens } from '../keys/keys.ts'
import { activeOrganization } from '../state/app-store.ts'
import type { Overlay } from '../state/overlays.ts'
import type { Route, ShellState } from '../state/shell-state.ts'
import { OverlayView } from './overlay-view.tsx'
import { routeTitle, ScreenOf } from './screen-of.tsx'

export interface FrameProps {
  readonly state: ShellState<Overlay>
  readonly height: number
  /** Nothing is shown and no key is taken, but all is kept. */
  readonly isHidden: boolean
}

/** What stays while screens change: top line, breadcrumb, toast line. */
export function Frame({ state, height, isHidden }: FrameProps) {
  const { width, isNarrow, isReadOnly } = useShell()
  const { stack, overlay, toast } = state
  return (
    <Box flexDirection="column" height={height} paddingX={1} overflow="hidden" display={isHidden ? 'none' : 'flex'}>
      <TopLine isReadOnly={isReadOnly} />
      <Breadcrumb
        titles={stack.map(routeTitle)}
        tabs={numberedScreens.map(({ screen, key, title }) => ({ key, title, isHere: stack[0].screen === screen }))}
        width={width}
      />
      {!isNarrow && (
        <>
          <Rule width={width} />
          <Line spans={[{ text: ' ' }]} />
        </>
      )}
      {overlay && !isHidden && <OverlayView overlay={overlay} />}
      <Stack stack={stack} isCovered={overlay !== undefined || isHidden} />
      <Line spans={[{ text: toast?.text ?? '', tone: toast?.tone }]} />
    </Box>
  )
}

function TopLine({ isReadOnly }: { readonly isReadOnly: boolean }) {
  const { store } = useShell()
  const state = useAppState()
  const { current, me, link, connection } = state
  return (
    <Header
      server={shortServer(connection?.server ?? store.ports.server)}
      account={me === null ? undefined : current?.email}
      organization={activeOrganization(state)?.name}
      isImpersonating={Boolean(me?.session.impersonatedBy)}
      isReadOnly={isReadOnly}
      link={link}
    />
  )
}

/** Screens lower in the stack keep what they know, unseen. */
const Stack = ({ stack, isCovered }: { readonly stack: readonly Route[]; readonly isCovered: boolean }) =>
  stack.map((route, index) => {
    const isOnTop = index === stack.length - 1 && !isCovered
    return (
      <Box key={`${index} ${route.screen} ${route.subject ?? ''}`} display={isOnTop ? 'flex' : 'none'}>
        <ScreenOf route={route} isActive={isOnTop} />
      </Box>
    )
  })

const shortServer = (server: string): string => server.replace(/^https?:\/\//, '').replace(/\/api\/auth\/?$/, '')
