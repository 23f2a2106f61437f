import { Box } from 'ink'
import { memo, type ReactNode, useSyncExternalStore } from 'react'
import { shortLabel } from '../../flows/account/users.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { relativeTime } from '../../output/time.ts'
import { displayWidth, truncateEnd } from '../../output/width.ts'
import { Header } from '../components/header.tsx'
import { Line } from '../components/primitives.tsx'
import { ScreenKeyContext } from '../hooks/use-kept-state.ts'
import { useKeymap } from '../hooks/use-keymap.ts'
import { useAppState, useShell } from '../hooks/use-shell.ts'
import { useDelayedFlag, useNow } from '../hooks/use-time.ts'
import { TopScreenContext } from '../hooks/use-top-screen.ts'
import { keyOf } from '../keymap/key-text.ts'
import type { NumberedScreen, ScreenName } from '../keymap/names.ts'
import { type AppState, activeOrganization, type Stale, staleIn } from '../state/app-state.ts'
import { type Route, type ShellState, screenKeyOf } from '../state/shell-state.ts'
import { AccountsScreen, ProfileScreen, SignedOutScreen } from './accounts.tsx'
import { EventScreen, TrailScreen } from './admin/trail.tsx'
import { Chrome, routeTitle } from './chrome.tsx'
import { FormScreen } from './form-screen.tsx'
import { HomeScreen } from './home.tsx'
import { MemberScreen, OrganizationScreen, RoleScreen, TeamScreen, UnseenScreen } from './organization/organization.tsx'
import { OverlayView } from './overlay-view.tsx'
import { openNumbered, type ScreenProps } from './page.tsx'
import { RequestScreen, RequestsScreen } from './requests.tsx'
import {
  KeyScreen,
  LinksScreen,
  MailsScreen,
  OrganizationsScreen,
  OwnKeysScreen,
  SessionScreen,
  SessionsScreen,
  TrustsScreen,
  UserScreen,
  UserSessionsScreen,
  UsersScreen,
  WebhookScreen,
  WebhooksScreen,
} from './resources.tsx'

interface FrameProps {
  readonly state: ShellState
  /** The notice in wrapped lines, so that no command is cut. */
  readonly toastLines: readonly string[]
  /** Shows nothing and takes no keys, but keeps all state. */
  readonly isHidden: boolean
}

/** The parts that stay while screens change: top line, breadcrumb and notices. */
export function Frame({ state: shown, toastLines, isHidden }: FrameProps) {
  const shell = useShell()
  const { isReadOnly } = shell
  const {
    stack,
    overlays: [overlay],
    toast,
    jumps,
  } = shown
  const state = useAppState()
  const titled = stack.filter((route) => isTitleShown(route, state))
  const pointer = {
    openScreen: (screen: NumberedScreen) => openNumbered(shell, screen, state.isAdmin),
    goBackTo: (index: number) => {
      for (let left = titled.length - 1; left > index; left -= 1) shell.back()
    },
  }
  return (
    <Chrome
      top={<TopLine isReadOnly={isReadOnly} />}
      titles={titled.map((route) => routeTitle(route, state))}
      here={stack[0].screen}
      isHidden={isHidden}
      {...(!overlay && !isHidden && { pointer })}
    >
      <Box flexDirection="column" flexShrink={0}>
        <Stack
          key={jumps}
          stack={stack}
          isSeen={overlay?.kind !== 'waiting' && !isHidden}
          isActive={!overlay && !isHidden}
        />
        {overlay && !isHidden && (
          <Box position={overlay.kind === 'waiting' ? 'relative' : 'absolute'}>
            <OverlayView key={overlay.kind} overlay={overlay} />
          </Box>
        )}
      </Box>
      {toast ? (
        toastLines.map((text, index) => <Line key={index} spans={[{ text, tone: toast.tone }]} />)
      ) : (
        <StaleLine />
      )}
    </Chrome>
  )
}

/** After a sign-out, titles of what the user looked at are hidden. Requests belong to the run and stay. */
const isTitleShown = ({ screen, subject }: Route, { me }: AppState): boolean =>
  me !== null || subject === undefined || screen === 'request'

function TopLine({ isReadOnly }: { readonly isReadOnly: boolean }) {
  const { store } = useShell()
  const state = useAppState()
  const { current, me, link, connection } = state
  return (
    <Header
      server={connection?.server ?? store.ports.server}
      account={accountIn(state)}
      organization={activeOrganization(state)?.name}
      impersonating={current?.impersonating ?? (me?.session.impersonatedBy ? me.user.email : undefined)}
      isReadOnly={isReadOnly}
      link={link}
      isBusy={useBusy()}
      progress={useSyncExternalStore(store.activity.subscribe, store.activity.progress)}
    />
  )
}

/** The stored address until the service has answered. */
function accountIn({ me, current }: AppState): string | null | undefined {
  if (me === null) return null
  return me ? shortLabel(me.user) : current?.email
}

interface StackProps {
  readonly stack: readonly Route[]
  readonly isSeen: boolean
  /** No overlay covers it. */
  readonly isActive: boolean
}

/** Screens below the top keep their state but are hidden. */
const Stack = ({ stack, isSeen, isActive }: StackProps) =>
  stack.map((route, index) => {
    const isOnTop = index === stack.length - 1
    return (
      <Box
        key={`${index} ${route.screen} ${route.subject ?? ''}`}
        flexShrink={0}
        display={isOnTop && isSeen ? 'flex' : 'none'}
      >
        <TopScreenContext.Provider value={isOnTop}>
          <ScreenKeyContext.Provider value={screenKeyOf(route)}>
            <RoutedScreen route={route} isActive={isOnTop && isActive} />
          </ScreenKeyContext.Provider>
        </TopScreenContext.Provider>
      </Box>
    )
  })

/** The age of outdated data, and why it is outdated. */
function StaleLine() {
  const stale = staleIn(useAppState())
  return stale ? <Age {...stale} /> : <Line spans={[{ text: '' }]} />
}

/** A reason cut to fewer columns says nothing. */
const leastReason = 12

/** The reason gives way to the key, which is what the user can do. */
function Age({ asOf, shownError }: Stale) {
  const { width } = useShell()
  const now = useNow(10_000)
  const key = keyOf(useKeymap(), 'reload', 'refresh')
  const age = `As of ${relativeTime(new Date(asOf), Math.max(now, asOf))}`
  const room = width - displayWidth(`${age}:   ·  ${key} tries again`)
  return (
    <Line
      spans={[
        { text: age, tone: 'warning' },
        { text: room < leastReason ? '' : `: ${truncateEnd(escapeControls(shownError.sentence), room)}` },
        { text: '  ·  ' },
        { text: key, tone: 'accent' },
        { text: ' tries again', tone: 'muted' },
      ]}
    />
  )
}

/** Whether the user has been waiting long enough for an indicator. */
function useBusy(): boolean {
  const { activity } = useShell().store
  return useDelayedFlag(useSyncExternalStore(activity.subscribe, activity.isBusy))
}

interface RoutedProps extends ScreenProps {
  readonly subject: string
  readonly route: Route
}

const screens: Readonly<Record<Exclude<ScreenName, 'form'>, (props: RoutedProps) => ReactNode>> = {
  home: HomeScreen,
  accounts: AccountsScreen,
  sessions: SessionsScreen,
  session: SessionScreen,
  profile: ProfileScreen,
  links: LinksScreen,
  'own-keys': OwnKeysScreen,
  key: ({ route, ...props }) => <KeyScreen {...props} organizationId={route.organizationId} />,
  trusts: ({ route, isActive }) => <TrustsScreen isActive={isActive} organizationId={route.organizationId} />,
  webhooks: ({ route, isActive }) => <WebhooksScreen isActive={isActive} organizationId={route.organizationId} />,
  webhook: ({ route, ...props }) => <WebhookScreen {...props} organizationId={route.organizationId} />,
  orgs: OrganizationsScreen,
  organization: OrganizationScreen,
  team: ({ route, ...props }) => <TeamScreen {...props} organizationId={route.organizationId ?? ''} />,
  member: ({ route, ...props }) => <MemberScreen {...props} organizationId={route.organizationId ?? ''} />,
  unseen: ({ route, isActive }) => <UnseenScreen isActive={isActive} organizationId={route.organizationId ?? ''} />,
  role: ({ route, ...props }) => <RoleScreen {...props} organizationId={route.organizationId ?? ''} />,
  admin: UsersScreen,
  user: UserScreen,
  'user-sessions': UserSessionsScreen,
  mails: MailsScreen,
  trail: ({ route, isActive }) => route.trail && <TrailScreen isActive={isActive} trail={route.trail} />,
  event: ({ route, isActive }) => route.event && <EventScreen isActive={isActive} event={route.event} />,
  requests: RequestsScreen,
  request: RequestScreen,
}

/** The screens that need no session. */
const sessionlessScreens: ReadonlySet<ScreenName> = new Set<ScreenName>([
  'home',
  'accounts',
  'form',
  'requests',
  'request',
])

/** The screen of a route. */
const RoutedScreen = memo(({ route, isActive }: { readonly route: Route; readonly isActive: boolean }) => {
  const { me } = useAppState()
  const { screen, subject = '', form } = route
  if (me === null && !sessionlessScreens.has(screen)) return <SignedOutScreen isActive={isActive} />
  if (screen === 'form') return form && <FormScreen isActive={isActive} form={form} />
  const Shown = screens[screen]
  return <Shown isActive={isActive} subject={subject} route={route} />
})
