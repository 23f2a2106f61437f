import type { ReactNode } from 'react'
import { useAppState } from '../hooks/use-shell.ts'
import type { ScreenName } from '../keys/names.ts'
import type { Route } from '../state/shell-state.ts'
import { AccountsScreen } from './accounts.tsx'
import { EventScreen, TrailScreen } from './admin/trail.tsx'
import { FormScreen } from './form-screen.tsx'
import { HomeScreen } from './home.tsx'
import { MemberScreen, OrganizationScreen, RoleScreen, TeamScreen } from './organization/organization.tsx'
import type { ScreenProps } from './page.tsx'
import { ProfileScreen } from './profile.tsx'
import { RequestScreen } from './request.tsx'
import { RequestsScreen } from './requests.tsx'
import {
  KeyScreen,
  LinksScreen,
  OrganizationsScreen,
  OwnKeysScreen,
  SessionScreen,
  SessionsScreen,
  TrustsScreen,
  UserScreen,
  UserSessionsScreen,
  UsersScreen,
} from './resources.tsx'
import { SignedOutScreen } from './signed-out.tsx'

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
  orgs: OrganizationsScreen,
  organization: OrganizationScreen,
  team: ({ route, ...props }) => <TeamScreen {...props} organizationId={route.organizationId ?? ''} />,
  member: ({ route, ...props }) => <MemberScreen {...props} organizationId={route.organizationId ?? ''} />,
  role: ({ route, ...props }) => <RoleScreen {...props} organizationId={route.organizationId ?? ''} />,
  admin: UsersScreen,
  user: UserScreen,
  'user-sessions': UserSessionsScreen,
  trail: ({ route, isActive }) =>
    route.trail && <TrailScreen isActive={isActive} trail={route.trail} title={route.title} />,
  event: ({ route, isActive }) => route.event && <EventScreen isActive={isActive} event={route.event} />,
  requests: RequestsScreen,
  request: RequestScreen,
}

/** What there is for nobody, too. */
const forAnybody: ReadonlySet<ScreenName> = new Set<ScreenName>(['home', 'accounts', 'form', 'requests', 'request'])

/** The screen of a route. */
export function ScreenOf({ route, isActive }: { readonly route: Route; readonly isActive: boolean }) {
  const { me } = useAppState()
  const { screen, subject = '', form } = route
  if (me === null && !forAnybody.has(screen)) return <SignedOutScreen isActive={isActive} />
  if (screen === 'form') return form && <FormScreen isActive={isActive} form={form} />
  const Shown = screens[screen]
  return <Shown isActive={isActive} subject={subject} route={route} />
}
