import { Box } from 'ink'
import { isMachineAddress } from '../../../shared/email.ts'
import type { SessionView } from '../../../shared/entities.ts'
import { addressState, isAddressProven } from '../../flows/account/me.ts'
import { stopImpersonating } from '../../flows/admin/impersonate.ts'
import { signOut } from '../../flows/auth/sign-out.ts'
import type { Form } from '../../flows/flow.ts'
import type { Fact } from '../../flows/resource-fields.ts'
import { deviceOf } from '../../flows/session/sessions.ts'
import { shortTime } from '../../output/time.ts'
import { displayWidth, truncateEnd } from '../../output/width.ts'
import { countText } from '../../output/words.ts'
import { Facts, valueWidth } from '../components/facts.tsx'
import { Line } from '../components/primitives.tsx'
import { Table } from '../components/table.tsx'
import { deviceForm, forgotPasswordForm, signInForm, signUpForm, tokenForm } from '../forms/forms.ts'
import { allClearLine, type HomeView, missingPartLines } from '../home/notices.ts'
import { organizationSummary } from '../home/parts.ts'
import { useAction } from '../hooks/use-action.ts'
import { type NoticeEntry, useHome, useNotices } from '../hooks/use-home.ts'
import { useKeymap } from '../hooks/use-keymap.ts'
import { type Shell, useAppState, useShell } from '../hooks/use-shell.ts'
import { keyOf } from '../keymap/key-text.ts'
import { screenReason } from '../keymap/names.ts'
import { type AppState, defaultOrganization, whySignedOut } from '../state/app-state.ts'
import { formRoute } from '../state/shell-state.ts'
import type { Tone } from '../theme.ts'
import { recentEntries } from './home-recent.ts'
import { LoadNote } from './load-note.tsx'
import { type Menu, type MenuEntry, MenuPosition, MenuView, useMenu } from './menu-view.tsx'
import { Page, type ScreenProps, useStopImpersonating } from './page.tsx'

/** The home screen: notices and the active organization, or the sign-in forms without a session. */
export function HomeScreen({ isActive }: ScreenProps) {
  const shell = useShell()
  const state = useAppState()
  const { me, current } = state
  const leaving = useAction(signOut)
  const endSession = () => current && leaving.ask([current], [`${current.email} at ${current.origin}`])
  const stop = useStopImpersonating()
  const entries = [
    ...stopEntry(state, keyOf(useKeymap(), 'shell', 'stop-impersonating'), stop),
    ...entriesOf(state, shell, endSession),
  ]
  // A new session gets a new dashboard, without state of the old one.
  if (me) return <Dashboard key={me.session.id} isActive={isActive} me={me} places={entries} />
  return <SignInMenu isActive={isActive} entries={entries} />
}

function SignInMenu({ isActive, entries }: ScreenProps & { readonly entries: readonly MenuEntry[] }) {
  const { store } = useShell()
  const state = useAppState()
  const { me, shownError } = state
  const menu = useMenu(entries, [])
  const isLoading = me === undefined && !shownError
  const note =
    shownError || isLoading ? (
      <LoadNote isLoading={isLoading} shownError={shownError} empty="" />
    ) : (
      <Line spans={[{ text: whySignedOut(state, store.ports) }]} />
    )
  return (
    <Page screen="home" isActive={isActive} isLoading={isLoading} intents={{ ...menu.list.intents, open: menu.open }}>
      <MenuView menu={menu} note={note} />
    </Page>
  )
}

/** First on the home screen while impersonating, with or without a session: it leads back to the user's own session. */
const stopEntry = ({ current }: AppState, key: string, run: () => void): readonly MenuEntry[] =>
  current?.impersonating === undefined
    ? []
    : [{ id: 'stop', label: stopImpersonating.title, hint: `you act as ${current.impersonating}: ${key}`, run }]

function entriesOf(
  { isAdmin, me, shownError, current, accounts, organizations }: AppState,
  shell: Shell,
  endSession: () => void,
): readonly MenuEntry[] {
  const others = {
    id: 'accounts',
    label: 'Accounts',
    hint: `${countText(accounts.length)} on this machine`,
    run: () => shell.go('accounts'),
  }
  if (me === undefined && !shownError) return []
  if (!me) {
    const way = (form: Form, hint: string): MenuEntry => ({
      id: form.title,
      label: form.title,
      hint,
      run: () => shell.open(formRoute(form)),
    })
    return [
      way(signInForm(current ? { email: current.email } : {}), 'with e-mail and password'),
      way(signUpForm(), ''),
      way(forgotPasswordForm(), 'set a new one by mail'),
      way(deviceForm(), 'with a provider, or any method of its page'),
      way(tokenForm(), ''),
      ...(accounts.length > 0 ? [others] : []),
    ]
  }
  return [
    { id: 'sessions', label: 'Sessions', hint: 'where you are signed in', run: () => shell.go('sessions') },
    { id: 'profile', label: 'Profile', hint: 'name, address, password', run: () => shell.go('profile') },
    { id: 'orgs', label: 'Organizations', hint: organizationsHint(organizations), run: () => shell.go('orgs') },
    {
      id: 'admin',
      label: 'Admin',
      hint: 'users and the audit trail',
      disabledReason: screenReason('admin', isAdmin),
      run: () => shell.go('admin'),
    },
    others,
    { id: 'sign-out', label: 'Sign out', hint: 'end this session', run: endSession },
  ]
}

const organizationsHint = (organizations: AppState['organizations']): string =>
  organizations === undefined ? '' : `you are in ${countText(organizations.length)}`

interface DashboardProps extends ScreenProps {
  readonly me: SessionView
  /** Links to other screens. */
  readonly places: readonly MenuEntry[]
}

/** Notices, then facts about the session, then links to other screens. */
function Dashboard({ isActive, me, places }: DashboardProps) {
  const shell = useShell()
  const { isNarrow } = shell
  const { view, isLoading } = useHome(me)
  const notices = useNotices(view)
  const said = statusLinesOf(view, isLoading)
  const facts = [...useOrganizationFacts(view), ...factsOf(me)]
  const recent = isNarrow ? [] : recentEntries(view, shell)
  const menu = useMenu(
    [...notices.entries, ...places.flatMap((place) => (place.id === 'orgs' ? [place, ...recent] : [place]))],
    facts,
    // One blank line more than a menu has.
    said.length + (isNarrow ? 0 : 1),
  )
  return (
    <Page
      screen="home"
      isActive={isActive}
      isLoading={isLoading}
      disabledReasons={notices.disabledReasons}
      intents={{
        ...menu.list.intents,
        ...notices.intentsFor(menu.list.selected?.id),
        open: menu.open,
      }}
    >
      <DashboardView menu={menu} notices={notices.entries} said={said} />
    </Page>
  )
}

interface StatusLine {
  readonly text: string
  readonly tone: Tone
}

function statusLinesOf(view: HomeView, isLoading: boolean): readonly StatusLine[] {
  const calm = allClearLine(view)
  if (calm !== undefined) return [{ text: calm, tone: 'good' }]
  const missing = missingPartLines(view.answers).map((text) => ({ text, tone: 'warning' as const }))
  return isLoading && missing.length === 0 ? [{ text: 'Checking for news…', tone: 'muted' }] : missing
}

interface DashboardViewProps {
  readonly menu: Menu
  readonly notices: readonly NoticeEntry[]
  readonly said: readonly StatusLine[]
}

/** One list in two parts, with the facts between them. */
function DashboardView({ menu, notices, said }: DashboardViewProps) {
  const { list, entries, facts, height } = menu
  const { width, isNarrow } = useShell()
  const [count, end] = [notices.length, list.start + height]
  const odd = new Set(notices.filter(({ isOdd }) => isOdd).map(({ id }) => id))
  const rowOf = ({ id, label, hint, disabledReason }: MenuEntry) => ({
    id,
    cells: isNarrow ? [label] : [label, disabledReason ?? hint],
    tone: disabledReason ? ('muted' as const) : odd.has(id) ? ('warning' as const) : ('plain' as const),
  })
  const rows = entries.map(rowOf)
  const waiting = Math.max(0, Math.min(count, end) - list.start)
  const from = Math.max(0, list.start - count)
  return (
    <Box flexDirection="column" rowGap={isNarrow ? 0 : 1}>
      {waiting + said.length > 0 && (
        <Box flexDirection="column">
          {waiting > 0 && (
            <Table
              rows={rows.slice(list.start, list.start + waiting)}
              start={list.start}
              line={list.line}
              width={width}
              pointer={list.pointer}
            />
          )}
          {said.map(({ text, tone }) => (
            <Line key={text} spans={[{ text, tone }]} />
          ))}
        </Box>
      )}
      <Facts facts={facts} />
      <Box flexDirection="column">
        <Table
          rows={rows.slice(count + from, count + from + height - waiting)}
          start={from}
          line={list.line - count}
          width={width}
          pointer={{ ...list.pointer, select: (line) => list.pointer.select(line + count) }}
        />
        <MenuPosition menu={menu} />
      </Box>
    </Box>
  )
}

/** What is left at least of an organization's name. */
const leastOfName = 12

/** The active organization. A long name leaves room for the user's role and the counts. */
function useOrganizationFacts({ me, answers: { place } }: HomeView): readonly Fact[] {
  const { width } = useShell()
  const name = defaultOrganization(useAppState())?.name
  if (name === undefined) return []
  const label = 'Organization'
  if (!place.data) return [{ label, value: name }]
  const summary = organizationSummary(place.data, me)
  const room = valueWidth(width) - displayWidth(`, ${summary}`)
  return [{ label, value: `${truncateEnd(name, Math.max(leastOfName, room))}, ${summary}` }]
}

function factsOf({ user, session }: SessionView): readonly Fact[] {
  const now = Date.now()
  return [
    { label: 'Name', value: user.name },
    isMachineAddress(user.email)
      ? { label: 'Machine', value: 'its session ends by itself, and nothing extends it' }
      : {
          label: 'Email',
          value: `${user.email}${isAddressProven({ user, session }) ? '' : `  (${addressState({ user, session })})`}`,
        },
    { label: 'Session ends', value: shortTime(session.expiresAt, now) },
    { label: 'Signed in', value: shortTime(session.createdAt, now) },
    { label: 'From', value: `${deviceOf(session)}${session.ipAddress ? `, ${session.ipAddress}` : ''}` },
  ]
}
