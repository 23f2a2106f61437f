import { stopImpersonating } from '../../flows/admin/stop-impersonating.ts'
import { signOut } from '../../flows/auth/sign-out.ts'
import type { Form } from '../../flows/flow.ts'
import { Line } from '../components/words.tsx'
import { deviceForm, forgotPasswordForm, signInForm, signUpForm, tokenForm } from '../forms/forms.ts'
import { useAction } from '../hooks/use-action.ts'
import { useAppState } from '../hooks/use-app-state.ts'
import { type Shell, useShell } from '../hooks/use-shell.ts'
import { useStopping } from '../hooks/use-stopping.ts'
import type { AppState } from '../state/app-state.ts'
import { whyNobody } from '../state/ended.ts'
import { Dashboard } from './dashboard.tsx'
import { LoadNote } from './load-note.tsx'
import { type MenuEntry, MenuView, useMenu } from './menu-view.tsx'
import { Page, type ScreenProps } from './page.tsx'

/** What waits and where one is; without a session, the ways in. */
export function HomeScreen({ isActive }: ScreenProps) {
  const shell = useShell()
  const state = useAppState()
  const { me, current } = state
  const leaving = useAction(signOut)
  const endSession = () => current && leaving.ask([current], [`${current.email} at ${current.origin}`])
  const stop = useStopping()
  const entries = [...stopEntry(state, stop), ...entriesOf(state, shell, endSession)]
  // Another session is another dashboard: nothing of the one before stays.
  if (me) return <Dashboard key={me.session.id} isActive={isActive} me={me} places={entries} />
  return <WaysIn isActive={isActive} entries={entries} />
}

function WaysIn({ isActive, entries }: ScreenProps & { readonly entries: readonly MenuEntry[] }) {
  const { store } = useShell()
  const state = useAppState()
  const { me, shownError } = state
  const menu = useMenu(entries, [])
  const isLoading = me === undefined && !shownError
  const note =
    shownError || isLoading ? (
      <LoadNote isLoading={isLoading} shownError={shownError} empty="" />
    ) : (
      <Line spans={[{ text: whyNobody(state, store.ports) }]} />
    )
  return (
    <Page screen="home" isActive={isActive} isLoading={isLoading} intents={{ ...menu.list.intents, open: menu.open }}>
      <MenuView menu={menu} note={note} />
    </Page>
  )
}

/** First of all, whoever is signed in or not: it is the way back to oneself. */
const stopEntry = ({ current }: AppState, run: () => void): readonly MenuEntry[] =>
  current?.impersonating === undefined
    ? []
    : [{ id: 'stop', label: stopImpersonating.title, hint: `you act as ${current.impersonating}: I`, run }]

function entriesOf(
  { isAdmin, me, shownError, current, accounts, organizations }: AppState,
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
    ...(isAdmin
      ? [{ id: 'admin', label: 'Admin', hint: 'users and the audit trail', run: () => shell.go('admin') }]
      : []),
    others,
    { id: 'sign-out', label: 'Sign out', hint: 'end this session', run: endSession },
  ]
}

const organizationsHint = (organizations: AppState['organizations']): string =>
  organizations === undefined ? '' : `you are in ${organizations.length}`
