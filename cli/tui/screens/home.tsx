import type { SessionView } from '../../../shared/entities.ts'
import { signOut } from '../../flows/auth/sign-out.ts'
import type { Form } from '../../flows/flow.ts'
import { relativeTime } from '../../output/time.ts'
import { Line } from '../components/words.tsx'
import { deviceForm, forgotPasswordForm, signInForm, signUpForm, tokenForm } from '../forms/forms.ts'
import { useAction } from '../hooks/use-action.ts'
import { useAppState } from '../hooks/use-app-state.ts'
import { useInvitations } from '../hooks/use-invitations.ts'
import { type Shell, useShell } from '../hooks/use-shell.ts'
import type { AppState } from '../state/app-store.ts'
import { accountAt } from '../state/flow-ports.ts'
import { deviceOf } from '../text/session-text.ts'
import { LoadNote } from './load-note.tsx'
import { type MenuEntry, MenuView, useMenu } from './menu-view.tsx'
import { Page, type ScreenProps } from './page.tsx'

/** Who I am, until when, and what can be done from here. */
export function HomeScreen({ isActive }: ScreenProps) {
  const shell = useShell()
  const state = useAppState()
  const { me, shownError, current } = state
  const leaving = useAction(signOut)
  const endSession = () => current && leaving.ask([accountAt(current)], [`${current.email} at ${current.origin}`])
  const invitations = useInvitations()
  const entries = [...invitations, ...entriesOf(state, shell, endSession)]
  const menu = useMenu(entries, me ? factsOf(me) : [])
  const note =
    shownError || me === undefined ? (
      <LoadNote isLoading={!shownError} shownError={shownError} empty="" />
    ) : (
      <Line
        spans={[{ text: current ? `The session of ${current.email} is over.` : 'Nobody is signed in here yet.' }]}
      />
    )
  return (
    <Page screen="home" isActive={isActive} intents={{ ...menu.list.intents, open: menu.open }}>
      <MenuView menu={menu} note={note} />
    </Page>
  )
}

function entriesOf(
  { me, shownError, current, accounts, organizations }: AppState,
  shell: Shell,
  endSession: () => void,
): readonly MenuEntry[] {
  const others = {
    id: 'accounts',
    label: 'Accounts',
    hint: `${accounts.length} on this machine`,
    run: () => shell.go('accounts'),
  }
  if (me === undefined && !shownError) return []
  if (!me) {
    const way = (form: Form, hint: string): MenuEntry => ({
      id: form.title,
      label: form.title,
      hint,
      run: () => shell.open({ screen: 'form', form: () => form, title: form.title }),
    })
    return [
      way(signInForm(current ? { email: current.email } : {}), 'with e-mail and password'),
      way(signUpForm(), ''),
      way(forgotPasswordForm(), 'a mail sets a new one'),
      way(deviceForm(), 'with a provider, or any way that its page offers'),
      way(tokenForm(), ''),
      ...(accounts.length > 0 ? [others] : []),
    ]
  }
  return [
    { id: 'sessions', label: 'Sessions', hint: 'where you are signed in', run: () => shell.go('sessions') },
    { id: 'profile', label: 'Profile', hint: 'name, address, password', run: () => shell.go('profile') },
    { id: 'orgs', label: 'Organizations', hint: organizationsHint(organizations), run: () => shell.go('orgs') },
    others,
    { id: 'sign-out', label: 'Sign out', hint: 'end this session', run: endSession },
  ]
}

const organizationsHint = (organizations: AppState['organizations']): string =>
  organizations === undefined ? '' : `you are in ${organizations.length}`

function factsOf({ user, session }: SessionView) {
  const now = Date.now()
  return [
    { label: 'Name', value: user.name },
    { label: 'E-mail', value: `${user.email}${user.emailVerified ? '' : '  (not verified)'}` },
    { label: 'Signed in', value: relativeTime(session.createdAt, now) },
    { label: 'Session ends', value: relativeTime(session.expiresAt, now) },
    { label: 'From', value: `${deviceOf(session)}${session.ipAddress ? `, ${session.ipAddress}` : ''}` },
  ]
}
