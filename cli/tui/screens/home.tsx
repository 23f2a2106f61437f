import type { SessionView } from '../../../shared/entities.ts'
import { relativeTime } from '../../output/time.ts'
import { signOut } from '../acts.ts'
import { Line } from '../components/words.tsx'
import type { DeskState } from '../desk.ts'
import { useAct } from '../hooks/use-act.ts'
import { useDesk } from '../hooks/use-desk.ts'
import { useInvitations } from '../hooks/use-invitations.ts'
import { type Shell, useShell } from '../hooks/use-shell.ts'
import { deviceOf } from '../session-text.ts'
import { LoadNote } from './load-note.tsx'
import { type Entry, MenuView, useMenu } from './menu-view.tsx'
import { Page, type ScreenProps } from './page.tsx'

/** Who I am, until when, and what can be done from here. */
export function Home({ isActive }: ScreenProps) {
  const shell = useShell()
  const state = useDesk()
  const { me, fault, current } = state
  const leaving = useAct(signOut)
  const endSession = () => current && leaving.ask([current], [`${current.email} at ${current.origin}`])
  const invitations = useInvitations()
  const entries = [...invitations, ...entriesOf(state, shell, endSession)]
  const menu = useMenu(entries, me ? factsOf(me) : [])
  const note =
    fault || me === undefined ? (
      <LoadNote isLoading={!fault} fault={fault} empty="" />
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
  { me, fault, current, accounts, organizations }: DeskState,
  shell: Shell,
  endSession: () => void,
): readonly Entry[] {
  const others = {
    id: 'accounts',
    label: 'Accounts',
    hint: `${accounts.length} on this machine`,
    run: () => shell.go('accounts'),
  }
  if (me === undefined && !fault) return []
  if (!me) {
    return [
      {
        id: 'sign-in',
        label: 'Sign in',
        hint: 'with e-mail and password',
        run: () => shell.open({ screen: 'sign-in', values: current ? { email: current.email } : {} }),
      },
      { id: 'sign-up', label: 'Create an account', hint: '', run: () => shell.open({ screen: 'sign-up' }) },
      {
        id: 'forgot-password',
        label: 'Forgot the password',
        hint: 'a mail sets a new one',
        run: () => shell.open({ screen: 'forgot-password' }),
      },
      { id: 'token', label: 'Sign in with a token', hint: '', run: () => shell.open({ screen: 'sign-in-token' }) },
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

const organizationsHint = (organizations: DeskState['organizations']): string =>
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
