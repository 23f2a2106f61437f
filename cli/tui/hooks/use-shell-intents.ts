import { stopImpersonating } from '../../flows/admin/stop-impersonating.ts'
import { switchOrganization } from '../../flows/org/own-acts.ts'
import { workInNone } from '../../flows/org/resource.ts'
import { bindingsOf } from '../keys/keys.ts'
import { type Intent, type KeyScope, shownScreens } from '../keys/names.ts'
import { activeOrganization } from '../state/app-state.ts'
import type { ActionMenu, Choice, DisabledReasons } from '../state/overlays.ts'
import { useAccountPicker } from './use-account-choices.ts'
import { useAction } from './use-action.ts'
import { useAppState } from './use-app-state.ts'
import type { Intents } from './use-bindings.ts'
import { usePalette } from './use-palette.ts'
import { type Shell, useShell } from './use-shell.ts'

export interface OwnIntents {
  readonly scope: KeyScope
  readonly own: Intents
  readonly disabledReasons: DisabledReasons
  /** What is idle is not offered. */
  readonly idle: ReadonlySet<Intent>
  readonly actions: ActionMenu | undefined
}

/** The intents that every screen has, around its own. */
export function useShellIntents({ scope, own, disabledReasons, idle, actions }: OwnIntents): Intents {
  const shell = useShell()
  const { current, isAdmin } = useAppState()
  const choosing = useAccountPicker()
  const openPalette = usePalette()
  const organizations = useOrganizationChoices()
  const stopping = useStopping()
  const all = bindingsOf(scope, isAdmin)
  const intents: Intents = {
    ...screenIntents(shell, isAdmin),
    ...(current?.impersonating === undefined ? {} : { 'stop-impersonating': stopping }),
    refresh: () => void shell.store.refresh(),
    back: shell.back,
    quit: shell.quit,
    'read-only': shell.toggleReadOnly,
    'switch-account': choosing,
    'switch-organization': () =>
      organizations
        ? shell.show({ kind: 'picker', title: 'Work in', choices: organizations })
        : shell.say('Your organizations are not known yet: R asks the service again', 'warning'),
    ...(actions && { actions: () => showMenu(shell, actions) }),
    help: () => shell.show({ kind: 'help', scope, disabledReasons, hidden }),
    ...own,
  }
  // What does nothing here, or is not there for this person, is not in the help either.
  const isHidden = (one: Intent) => idle.has(one) || (one !== 'palette' && intents[one] === undefined)
  const hidden = all.map(({ intent }) => intent).filter(isHidden)
  const bindings = all.filter(({ intent }) => !isHidden(intent))
  return { ...intents, palette: () => openPalette({ bindings, intents, disabledReasons, actions }) }
}

/** Opens a menu, where there is something in it. */
export function showMenu({ show, say }: Shell, actions: ActionMenu): void {
  if (actions.choices.length === 0) return say('Nothing is selected')
  show({ kind: 'picker', ...actions })
}

/** Undefined: the service could not be asked for them. */
function useOrganizationChoices(): readonly Choice[] | undefined {
  const state = useAppState()
  const using = useAction(switchOrganization)
  const active = activeOrganization(state)
  const choices = state.organizations?.map((organization) => ({
    ...using.choice([organization], []),
    id: organization.id,
    label: organization.name,
    hint: organization === active ? `${organization.slug}  active` : organization.slug,
  }))
  return choices && choices.length > 0
    ? [...choices, { ...using.choice([null], []), label: workInNone.label, hint: active ? '' : 'active' }]
    : choices
}

const screenIntents = (shell: Shell, isAdmin: boolean): Intents =>
  Object.fromEntries(shownScreens(isAdmin).map(({ screen }) => [`screen-${screen}`, () => shell.go(screen)]))

/** Ends acting as somebody else: the own session is there again. */
export function useStopping(): () => void {
  const { store, go } = useShell()
  const { current } = useAppState()
  const stopping = useAction(stopImpersonating, { onDone: () => go('home') })
  return () => {
    if (!current) return
    void store.accounts.impersonation(current).then((held) => stopping.ask([{ account: current, held }], []))
  }
}
