import { switchAccount } from '../../flows/auth/switch.ts'
import { switchOrganization } from '../../flows/org/use.ts'
import type { AccountAt } from '../../flows/ports.ts'
import { bindingsOf, type Intent, type KeyScope, keyLabel, numberedScreens } from '../keys/keys.ts'
import type { StoredAccount } from '../ports.ts'
import { activeOrganization } from '../state/app-store.ts'
import { accountAt } from '../state/flow-ports.ts'
import type { Choice, DisabledReasons } from '../state/overlays.ts'
import { type ActionControl, useAction } from './use-action.ts'
import { useAppState } from './use-app-state.ts'
import type { Intents } from './use-bindings.ts'
import { type Shell, useShell } from './use-shell.ts'

/** Moving about is for keys; a palette is for what one looks for by name. */
const inPalette = (intent: Intent): boolean =>
  ![
    'up',
    'down',
    'page-up',
    'page-down',
    'first',
    'last',
    'open',
    'next-match',
    'previous-match',
    'mark',
    'palette',
  ].includes(intent)

/** The intents that every screen has, around its own. */
export function useShellIntents(scope: KeyScope, own: Intents, disabledReasons: DisabledReasons): Intents {
  const shell = useShell()
  const { accounts } = useAppState()
  const switching = useAction(switchAccount)
  const organizations = useOrganizationChoices()
  const intents: Intents = {
    ...screenIntents(shell),
    refresh: () => void shell.store.refresh(),
    back: shell.back,
    quit: shell.quit,
    'read-only': shell.toggleReadOnly,
    'switch-account': () =>
      shell.show({ kind: 'picker', title: 'Act as', choices: accounts.map((account) => choiceOf(account, switching)) }),
    'switch-organization': () => shell.show({ kind: 'picker', title: 'Work in', choices: organizations }),
    help: () => shell.show({ kind: 'help', scope, disabledReasons }),
    ...own,
  }
  const palette = () =>
    shell.show({
      kind: 'picker',
      title: 'Command',
      choices: paletteOf(scope, intents, disabledReasons),
      isSearchable: true,
    })
  return { ...intents, palette }
}

function useOrganizationChoices(): readonly Choice[] {
  const state = useAppState()
  const using = useAction(switchOrganization)
  const active = activeOrganization(state)
  const choices = (state.organizations ?? []).map((organization) => ({
    ...using.choice([organization], []),
    id: organization.id,
    label: organization.name,
    hint: organization === active ? `${organization.slug}  now` : organization.slug,
  }))
  return choices.length > 0
    ? [...choices, { ...using.choice([null], []), label: workInNone, hint: active ? '' : 'now' }]
    : []
}

export const workInNone = 'Work in no organization'

const screenIntents = (shell: Shell): Intents =>
  Object.fromEntries(numberedScreens.map(({ screen }) => [`screen-${screen}`, () => shell.go(screen)]))

const choiceOf = (account: StoredAccount, switching: ActionControl<AccountAt>): Choice => ({
  id: `${account.origin} ${account.email}`,
  label: account.email,
  hint: account.isCurrent ? `${account.origin}  now` : account.origin,
  run: () => switching.ask([accountAt(account)], []),
})

const paletteOf = (scope: KeyScope, intents: Intents, disabledReasons: DisabledReasons): readonly Choice[] =>
  bindingsOf(scope).flatMap(({ intent, keys, label }) => {
    const run = intents[intent]
    if (!run || !inPalette(intent)) return []
    return [{ id: intent, label, hint: keyLabel(keys[0] ?? ''), disabledReason: disabledReasons[intent], run }]
  })
