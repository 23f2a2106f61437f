import { signOut } from '../../flows/auth/sign-out.ts'
import { switchAccount } from '../../flows/auth/switch.ts'
import { commandFor } from '../../flows/command-line.ts'
import type { Form } from '../../flows/flow.ts'
import type { TableRow } from '../components/table.tsx'
import { signInForms, signUpForm } from '../forms/forms.ts'
import { useAction } from '../hooks/use-action.ts'
import { useAppState } from '../hooks/use-app-state.ts'
import { useList } from '../hooks/use-list.ts'
import { useShell } from '../hooks/use-shell.ts'
import { withKey } from '../keys/key-text.ts'
import type { StoredAccount } from '../ports.ts'
import { isSameAccount } from '../state/app-state.ts'
import type { Column } from '../state/columns.ts'
import { accountAt } from '../state/flow-ports.ts'
import { ListView, listOverhead } from './list-view.tsx'
import { Page, type ScreenProps } from './page.tsx'

type Entry = StoredAccount | { readonly form: Form; readonly label: string }

const ways = signInForms.map((way) => ({ form: way(), label: way().title }))

/** Who is signed in on this machine, at which servers, and the ways in. */
export function AccountsScreen({ isActive }: ScreenProps) {
  const shell = useShell()
  const { accounts, current, me, shownError } = useAppState()
  const height = shell.height - listOverhead
  const list = useList<Entry>({ items: [...accounts, ...ways], idOf, textOf: idOf, height, columns })
  const switching = useAction(switchAccount, { onDone: () => shell.go('home') })
  const leaving = useAction(signOut)
  const entry = list.selected
  const account = entry && !('form' in entry) ? entry : undefined
  const targets = account ? [accountAt(account)] : []
  const details = account ? [idOf(account)] : []
  const openForm = (form: Form) => shell.open({ screen: 'form', form: () => form, title: form.title })
  const open = () => {
    if (entry && 'form' in entry) openForm(entry.form)
    else switching.ask(targets, details)
  }
  const menu = () =>
    shell.show({
      kind: 'picker',
      title: account?.email ?? 'No account selected',
      choices: account
        ? [switching.choice(targets, details), withKey('accounts', 'remove', leaving.choice(targets, details))]
        : [],
    })
  const stateOf = (one: StoredAccount) => {
    if (!current || !isSameAccount(one, current)) return 'stored'
    return me === null ? 'current, session over' : 'current'
  }
  return (
    <Page
      screen="accounts"
      isActive={isActive}
      isLoading={accounts.length === 0 && me === undefined && !shownError}
      typing={list.state.isTyping ? list.typing.intents : undefined}
      disabledReasons={{ remove: leaving.disabledReason }}
      intents={{
        ...list.intents,
        open,
        actions: menu,
        remove: () => leaving.ask(targets, details),
        create: () => openForm(signUpForm()),
        'copy-id': () => account && shell.copy(account.email, 'the address'),
        'copy-command': () => account && shell.copy(commandFor(switchAccount, targets), 'the command'),
      }}
    >
      <ListView view={list} rowOf={(one) => rowOf(one, stateOf)} height={height} isActive={isActive} empty="" />
    </Page>
  )
}

const idOf = (entry: Entry): string => ('form' in entry ? entry.label : `${entry.email}  ${entry.origin}`)

const columns: readonly Column<Entry>[] = [
  { title: 'Account', value: (entry) => ('form' in entry ? entry.label : entry.email) },
  { title: 'Server', value: (entry) => ('form' in entry ? '' : entry.origin) },
  { title: '', value: () => '' },
]

function rowOf(entry: Entry, stateOf: (account: StoredAccount) => string): TableRow {
  if ('form' in entry) return { id: idOf(entry), cells: [`+ ${entry.label}`, '', ''], tone: 'accent' }
  const tone = entry.isCurrent ? 'good' : 'plain'
  return { id: idOf(entry), cells: [entry.email, entry.origin, stateOf(entry)], tone }
}
