import type { ReactNode } from 'react'
import { numberedScreens, type ScreenName } from '../keys/keys.ts'
import type { Route } from '../state/shell-state.ts'
import { AccountsScreen } from './accounts.tsx'
import { FormScreen } from './form-screen.tsx'
import { HomeScreen } from './home.tsx'
import { LinksScreen } from './links.tsx'
import { OrganizationScreen } from './organization/organization.tsx'
import { TeamScreen } from './organization/team.tsx'
import { OrganizationsScreen } from './orgs.tsx'
import type { ScreenProps } from './page.tsx'
import { ProfileScreen } from './profile.tsx'
import { RequestScreen } from './request.tsx'
import { RequestsScreen } from './requests.tsx'
import { SessionScreen } from './session.tsx'
import { SessionsScreen } from './sessions.tsx'

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
  orgs: OrganizationsScreen,
  organization: OrganizationScreen,
  team: ({ route, ...props }) => <TeamScreen {...props} organizationId={route.organizationId ?? ''} />,
  requests: RequestsScreen,
  request: RequestScreen,
}

/** The screen of a route. */
export function ScreenOf({ route, isActive }: { readonly route: Route; readonly isActive: boolean }) {
  const { screen, subject = '', form } = route
  if (screen === 'form') return form && <FormScreen isActive={isActive} form={form} />
  const Shown = screens[screen]
  return <Shown isActive={isActive} subject={subject} route={route} />
}

export function routeTitle({ screen, subject, title }: Route): string {
  if (title !== undefined) return title
  if (screen === 'session') return 'Session'
  if (screen === 'request') return `Request ${subject ?? ''}`
  return numberedScreens.find((numberedScreen) => numberedScreen.screen === screen)?.title ?? screen
}
