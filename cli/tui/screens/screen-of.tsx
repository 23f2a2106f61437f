import { forms } from '../forms.ts'
import { type FormName, numbered, type ScreenName } from '../keys.ts'
import type { Stop } from '../shell-state.ts'
import { Accounts } from './accounts.tsx'
import { FormScreen } from './form-screen.tsx'
import { Home } from './home.tsx'
import { Profile } from './profile.tsx'
import { Request } from './request.tsx'
import { Requests } from './requests.tsx'
import { Session } from './session.tsx'
import { Sessions } from './sessions.tsx'

/** The screen at one stop of the stack. */
export function ScreenOf({ stop, isActive }: { readonly stop: Stop; readonly isActive: boolean }) {
  const { screen, subject = '' } = stop
  switch (screen) {
    case 'home':
      return <Home isActive={isActive} />
    case 'accounts':
      return <Accounts isActive={isActive} />
    case 'sessions':
      return <Sessions isActive={isActive} />
    case 'session':
      return <Session isActive={isActive} subject={subject} />
    case 'profile':
      return <Profile isActive={isActive} />
    case 'requests':
      return <Requests isActive={isActive} />
    case 'request':
      return <Request isActive={isActive} subject={subject} />
    default:
      return <FormScreen isActive={isActive} form={screen} given={stop.values} />
  }
}

export function titleOf({ screen, subject }: Stop): string {
  if (isForm(screen)) return forms[screen].title
  if (screen === 'session') return 'Session'
  if (screen === 'request') return `Request ${subject ?? ''}`
  return numbered.find((place) => place.screen === screen)?.title ?? screen
}

const isForm = (screen: ScreenName): screen is FormName => Object.hasOwn(forms, screen)
