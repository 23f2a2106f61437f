import type { ReactNode } from 'react'
import { numbered, type ScreenName } from '../keys.ts'
import type { Stop } from '../shell-state.ts'
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

interface PlaceProps extends ScreenProps {
  readonly subject: string
  readonly stop: Stop
}

const screens: Readonly<Record<Exclude<ScreenName, 'form'>, (props: PlaceProps) => ReactNode>> = {
  home: Home,
  accounts: Accounts,
  sessions: Sessions,
  session: Session,
  profile: Profile,
  orgs: Orgs,
  organization: Organization,
  team: ({ stop, ...props }) => <Team {...props} organizationId={stop.organizationId ?? ''} />,
  requests: Requests,
  request: Request,
}

/** The screen at one stop of the stack. */
export function ScreenOf({ stop, isActive }: { readonly stop: Stop; readonly isActive: boolean }) {
  const { screen, subject = '', form } = stop
  if (screen === 'form') return form && <FormScreen isActive={isActive} form={form} />
  const Shown = screens[screen]
  return <Shown isActive={isActive} subject={subject} stop={stop} />
}

export function titleOf({ screen, subject, title }: Stop): string {
  if (title !== undefined) return title
  if (screen === 'session') return 'Session'
  if (screen === 'request') return `Request ${subject ?? ''}`
  return numbered.find((place) => place.screen === screen)?.title ?? screen
}
