import type { SessionView } from '../../../shared/entities.ts'
import { isSameAccount, type StoredAccount } from '../../accounts/accounts.ts'
import { languageWord } from '../../flows/account/fields.ts'
import { accountView, addressState } from '../../flows/account/me.ts'
import { signOut } from '../../flows/auth/sign-out.ts'
import { switchAccount } from '../../flows/auth/switch.ts'
import { commandFor, commandWith } from '../../flows/command-line.ts'
import type { Form } from '../../flows/flow.ts'
import { fullTime } from '../../output/time.ts'
import { Paragraph } from '../components/primitives.tsx'
import type { TableRow } from '../components/table.tsx'
import { deletionForm, offeredForm, profileForm, signInForm, signInForms, signUpForm } from '../forms/forms.ts'
import { useAction, useForm } from '../hooks/use-action.ts'
import { useKeymap } from '../hooks/use-keymap.ts'
import { useList } from '../hooks/use-list.ts'
import { useAccountActions } from '../hooks/use-own-actions.ts'
import { useAppState, useShell } from '../hooks/use-shell.ts'
import { useDroppedKeys } from '../hooks/use-typed-ahead.ts'
import { keyOf, withKey } from '../keymap/key-text.ts'
import { type AppState, sessionEndNotice, whySignedOut } from '../state/app-state.ts'
import type { Column } from '../state/columns.ts'
import { formRoute } from '../state/shell-state.ts'
import { ListView, listOverhead } from './list-view.tsx'
import { LoadNote } from './load-note.tsx'
import { MenuView, useMenu } from './menu-view.tsx'
import { Page, type ScreenProps } from './page.tsx'

type Entry = StoredAccount | { readonly form: Form; readonly label: string }

const none: readonly never[] = []
const signInEntries = signInForms.map((way) => ({ form: way(), label: way().title }))

/** The accounts on this machine with their servers, and the sign-in forms. */
export function AccountsScreen({ isActive }: ScreenProps) {
  const shell = useShell()
  const state = useAppState()
  const { accounts, me, shownError } = state
  const isLoading = accounts.length === 0 && me === undefined && !shownError
  const height = shell.height - listOverhead
  const list = useList<Entry>({
    items: isLoading ? none : [...accounts, ...signInEntries],
    idOf,
    textOf: idOf,
    height,
    columns,
    acts: ['remove'],
  })
  const { actions, intents, disabledReasons } = useAccountKeys(list.selected)
  return (
    <Page
      screen="accounts"
      isActive={isActive}
      isLoading={isLoading}
      list={list}
      disabledReasons={disabledReasons}
      actions={actions}
      intents={intents}
    >
      <ListView view={list} rowOf={(one) => rowOf(one, state)} height={height} isActive={isActive} empty="" />
    </Page>
  )
}

function useAccountKeys(entry: Entry | undefined) {
  const shell = useShell()
  const { accounts } = useAppState()
  const switching = useAction(switchAccount, { onDone: () => shell.go('home') })
  const leaving = useAction(signOut)
  const keymap = useKeymap()
  const { form, account } = partsOf(entry)
  const targets = account ? [account] : []
  const details = account ? [idOf(account)] : []
  const choices = [
    switching.choice(targets, details),
    withKey(keymap, ['accounts', 'remove'], leaving.choice(targets, details)),
  ]
  const unselected = account || accounts.length === 0 ? undefined : 'no account is selected'
  return {
    disabledReasons: { remove: unselected ?? leaving.disabledReason },
    actions: { title: account?.email ?? 'No account selected', choices: account ? choices : [] },
    intents: {
      open: () => (form ? shell.open(formRoute(form)) : switching.ask(targets, details)),
      remove: () => leaving.ask(targets, details),
      create: () => shell.open(formRoute(signUpForm())),
      'copy-id': () => account && shell.copy(account.email, 'the address'),
      'copy-command': () => account && shell.copy(commandFor(switchAccount, targets), 'the command'),
    },
  }
}

function partsOf(entry: Entry | undefined): { readonly form?: Form; readonly account?: StoredAccount } {
  if (!entry) return {}
  return 'form' in entry ? { form: entry.form } : { account: entry }
}

const idOf = (entry: Entry): string => ('form' in entry ? entry.label : `${entry.email}  ${entry.origin}`)

const columns: readonly Column<Entry>[] = [
  { title: 'Account', readFirst: true, value: (entry) => ('form' in entry ? entry.label : entry.email) },
  { title: 'Server', value: (entry) => ('form' in entry ? '' : entry.origin) },
  { title: '', value: () => '' },
]

function stateOf(account: StoredAccount, { current, me }: AppState): string {
  if (!current || !isSameAccount(account, current)) return 'stored'
  return me === null ? 'current, session over' : 'current'
}

function rowOf(entry: Entry, state: AppState): TableRow {
  if ('form' in entry) return { id: idOf(entry), cells: [`+ ${entry.label}`], tone: 'accent' }
  const tone = entry.isCurrent ? 'good' : 'plain'
  return { id: idOf(entry), cells: [entry.email, entry.origin, stateOf(entry, state)], tone }
}

/** The signed-in user and the actions on their account. */
export function ProfileScreen({ isActive }: ScreenProps) {
  const shell = useShell()
  const state = useAppState()
  const { me, shownError } = state
  const [editing, deleting] = [useForm(profileForm), useForm(deletionForm)]
  const choices = useAccountActions()()
  const entries = choices.map((choice) => ({ hint: '', ...choice }))
  const menu = useMenu(entries, me ? factsOf(me) : [], 0, entries)
  return (
    <Page
      screen="profile"
      isActive={isActive}
      isLoading={!me && !shownError}
      disabledReasons={{ edit: editing.disabledReason, remove: deleting.disabledReason }}
      actions={{ title: me?.user.name ?? '', choices }}
      intents={{
        ...menu.list.intents,
        open: menu.open,
        edit: editing.open,
        remove: deleting.open,
        'copy-id': () => me && shell.copy(me.user.id, 'the user id'),
        'copy-command': () => shell.copy(commandWith(accountView), 'the command'),
      }}
    >
      <MenuView menu={menu} note={<LoadNote isLoading={!shownError} shownError={shownError} empty="" />} />
    </Page>
  )
}

const factsOf = ({ user, session }: SessionView) => [
  { label: 'Email', value: `${user.email}  (${addressState({ user, session })})` },
  { label: 'Name', value: user.name },
  { label: 'Member since', value: fullTime(user.createdAt) },
  { label: 'Image', value: user.image ?? '-' },
  { label: 'Language', value: languageWord(user) },
  { label: 'Changed', value: fullTime(user.updatedAt) },
  { label: 'ID', value: user.id },
]

/**
 * Replaces a screen that needs a session. It has the keys of Home, since those of the screen have nothing to act on.
 */
export function SignedOutScreen({ isActive }: ScreenProps) {
  useDroppedKeys(true)
  const { open, store } = useShell()
  const state = useAppState()
  const { current, ended } = state
  const enter = keyOf(useKeymap(), 'move', 'open')
  const offer = ended && sessionEndNotice(ended).offer
  const form = ended ? offer && offeredForm(offer, {}) : current && signInForm({ email: current.email })
  const email = ended?.account.email ?? current?.email
  return (
    <Page screen="home" isActive={isActive} intents={form ? { open: () => open(formRoute(form)) } : {}}>
      <Paragraph
        spans={[
          { text: `${whySignedOut(state, store.ports)} ` },
          ...(form ? [{ text: enter, tone: 'accent' as const }, { text: ` signs in as ${email}; ` }] : []),
          { text: '2', tone: 'accent' },
          { text: ' lists the accounts and signs in.' },
        ]}
      />
    </Page>
  )
}
