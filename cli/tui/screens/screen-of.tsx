import type { ReactNode } from 'react'
import { numbered, type ScreenName } from '../keys.ts'
import type { Route } from '../shell-state.ts'
import { Accounts } from './accounts.tsx'
import { FormScreen } from './form-screen.tsx'
import { Home } from './home.tsx'
import { Organization } from './organization/organization.tsx'
import { Team } from './organization/team.tsx'
import { Orgs } from './orgs.tsx'
import type { ScreenProps } from './page.tsx'
import { Profile } from './profile.tsx'
import { Request } from './request.tsx'
import { Requests } from './requests.tsx'
import { Session } from './session.tsx'
import { Sessions } from './sessions.tsx'

interface RoutedProps extends ScreenProps {
  readonly subject: string
  readonly route: Route
}

const screens: Readonly<Record<Exclude<ScreenName, 'form'>, (props: RoutedProps) => ReactNode>> = {
  home: Home,
  accounts: Accounts,
  sessions: Sessions,
  session: Session,
  profile: Profile,
  orgs: Orgs,
  organization: Organization,
  team: ({ route, ...props }) => <Team {...props} organizationId={route.organizationId ?? ''} />,
  requests: Requests,
  request: Request,
}

/** The screen of a route. */
export function ScreenOf({ route, isActive }: { readonly route: Route; readonly isActive: boolean }) {
  const { screen, subject = '', form } = route
  if (screen === 'form') return form && <FormScreen isActive={isActive} form={form} />
  const Shown = screens[screen]
  return <Shown isActive={isActive} subject={subject} route={route} />
}

export function titleOf({ screen, subject, title }: Route): string {
  if (title !== undefined) return title
  if (screen === 'session') return 'Session'
  if (screen === 'request') return `Request ${subject ?? ''}`
  return numbered.find((numberedScreen) => numberedScreen.screen === screen)?.title ?? screen
}
