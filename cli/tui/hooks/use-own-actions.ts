import type { SessionView } from '../../../shared/entities.ts'
import { isSameAccount, type StoredAccount } from '../../accounts/accounts.ts'
import { accountActivity, ownTrailOpening } from '../../flows/account/activity.ts'
import { signOut } from '../../flows/auth/sign-out.ts'
import { switchAccount } from '../../flows/auth/switch.ts'
import { commandWith } from '../../flows/command-line.ts'
import { sendVerification } from '../../flows/email/addresses.ts'
import { keyList } from '../../flows/key/keys.ts'
import { createOwnKey } from '../../flows/key/new-key.ts'
import { linkList } from '../../flows/link/accounts.ts'
import { createOrganization } from '../../flows/org/create.ts'
import { revokeAll, revokeOthers } from '../../flows/session/revoke.ts'
import { impersonatingReason } from '../forms/disabled-reason.ts'
import { accountForms, deletionForm, formFor, profileForm, signInForm } from '../forms/forms.ts'
import { withKey } from '../keymap/key-text.ts'
import type { Keymap } from '../keymap/keymap.ts'
import { type AppState, isImpersonating } from '../state/app-state.ts'
import { type Choice, formRoute, type Overlay } from '../state/shell-state.ts'
import { formChoice, useAction } from './use-action.ts'
import { useKeymap } from './use-keymap.ts'
import { offerNextForm, type Shell, useAppState, useShell } from './use-shell.ts'
import { useIsThere } from './use-top-screen.ts'

const creationForm = formFor(createOrganization, undefined)
const ownKeyForm = formFor(createOwnKey, undefined)

/** Mails a link that verifies the address, then offers the form that takes it. */
export function useMailing(chosen: readonly Pick<SessionView, 'user'>[] = []) {
  const shell = useShell()
  const isThere = useIsThere()
  return useAction(sendVerification, { chosen, onDone: (done) => isThere() && offerNextForm(shell, done) })
}

/** The actions on the user's own account, in the order of the profile. Empty when nobody is signed in. */
export function useAccountActions(): () => readonly Choice[] {
  const shell = useShell()
  const state = useAppState()
  const keymap = useKeymap()
  const mailing = useMailing()
  return () => {
    const { me } = state
    if (!me) return []
    const forms = accountForms.map((form) => withProfileKey(keymap, form, formChoice(shell, state, form)))
    const mail = mailing.choice([{ user: me.user }], [])
    return [...forms.slice(0, 2), mail, ...forms.slice(2), ...partsOfAccount(shell, state)]
  }
}

function withProfileKey(keymap: Keymap, form: (typeof accountForms)[number], choice: Choice): Choice {
  if (form === profileForm) return withKey(keymap, ['profile', 'edit'], choice)
  return form === deletionForm ? withKey(keymap, ['profile', 'remove'], choice) : choice
}

/** The account's actions, and those of other screens that need no selection. */
export function useOwnActions(): () => readonly Choice[] {
  const shell = useShell()
  const state = useAppState()
  const accountActs = useAccountActions()
  const [leaving, others, all] = [useAction(signOut), useAction(revokeOthers), useAction(revokeAll)]
  return () => {
    const { me, current } = state
    if (!me) return []
    const self = [{ user: me.user }]
    return [
      ...accountActs(),
      formChoice(shell, state, () => creationForm()),
      formChoice(shell, state, () => ownKeyForm()),
      others.choice(self, []),
      all.choice(self, []),
      ...(current ? [leaving.choice([current], [])] : []),
    ]
  }
}

const partsOfAccount = ({ open }: Shell, state: AppState): readonly Choice[] => [
  {
    id: 'activity',
    label: 'Activity',
    hint: commandWith(accountActivity),
    disabledReason: isImpersonating(state) ? impersonatingReason : undefined,
    run: () => open(ownTrailOpening),
  },
  {
    id: 'keys',
    label: 'Keys for machines',
    hint: commandWith(keyList, [], { given: { mine: true } }),
    run: () => open({ screen: 'own-keys', title: 'Keys' }),
  },
  {
    id: 'links',
    label: 'Linked accounts',
    hint: commandWith(linkList),
    run: () => open({ screen: 'links', title: 'Linked accounts' }),
  },
]

/** Returns a function that makes the choices to switch accounts. */
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

/**
 * Opens a picker with this machine's accounts and the sign-in form. It opens at once with the known accounts, since keys
 * typed before it opens would reach the screen below, and then shows the accounts as they are read again.
 */
export function useAccountPicker(): () => void {
  const { store, show, replace, open, fail } = useShell()
  const choicesOf = useAccountChoices()
  const form = signInForm()
  const another = {
    id: 'another',
    label: 'Sign in as somebody else',
    hint: form.hint(),
    run: () => open(formRoute(form)),
  }
  const pickerOf = (accounts: readonly StoredAccount[]): Overlay => ({
    kind: 'picker',
    title: 'Switch account',
    choices: [...choicesOf(accounts), another],
  })
  return () => {
    const known = store.state.accounts
    const shown = known.length > 0 ? pickerOf(known) : undefined
    if (shown) show(shown)
    store.readAccounts().then((accounts) => {
      if (!shown) show(pickerOf(accounts))
      else if (accounts !== known) replace(shown, pickerOf(accounts))
    }, fail)
  }
}
