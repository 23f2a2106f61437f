import { isSameAccount, type StoredAccount } from '../../accounts/accounts.ts'
import { switchAccount } from '../../flows/auth/switch.ts'
import { signInForm } from '../forms/forms.ts'
import type { Choice } from '../state/overlays.ts'
import { useAction } from './use-action.ts'
import { useAppState } from './use-app-state.ts'
import { useShell } from './use-shell.ts'

/** Makes the choices to switch to these accounts. */
export function useAccountChoices(): (accounts: readonly StoredAccount[]) => readonly Choice[] {
  const { current } = useAppState()
  const switching = useAction(switchAccount)
  const isCurrent = (account: StoredAccount) => current !== undefined && isSameAccount(account, current)
  return (accounts) =>
    accounts.map((account) => ({
      id: `${account.origin} ${account.email}`,
      label: account.email,
      hint: isCurrent(account) ? `${account.origin}  current` : account.origin,
      run: () => switching.ask([account], []),
    }))
}

/** Opens the accounts of this machine as they are now, and the way to one more. */
export function useAccountPicker(): () => void {
  const { store, show, open, fail } = useShell()
  const choicesOf = useAccountChoices()
  const form = signInForm()
  const another = {
    id: 'another',
    label: 'Sign in as somebody else',
    hint: form.command(form.initial),
    run: () => open({ screen: 'form', form: () => form, title: form.title }),
  }
  return () =>
    void store
      .readAccounts()
      .then(
        (accounts) => show({ kind: 'picker', title: 'Switch account', choices: [...choicesOf(accounts), another] }),
        fail,
      )
}
