import { Box } from 'ink'
import { type ReactNode, useMemo } from 'react'
import { stopImpersonating } from '../../flows/admin/impersonate.ts'
import { switchOrganization } from '../../flows/org/own-acts.ts'
import { workInNone } from '../../flows/org/resource.ts'
import type { Detail } from '../../flows/resource-fields.ts'
import { Footer } from '../components/footer.tsx'
import { Rule } from '../components/primitives.tsx'
import { useAction } from '../hooks/use-action.ts'
import { type Intents, useBindings } from '../hooks/use-bindings.ts'
import type { ListControl } from '../hooks/use-list.ts'
import { useAccountPicker } from '../hooks/use-own-acts.ts'
import { usePalette } from '../hooks/use-palette.ts'
import { type Shell, useAppState, useShell } from '../hooks/use-shell.ts'
import { screenFooterOf } from '../keys/key-text.ts'
import { bindingsOf } from '../keys/keys.ts'
import { type Intent, type KeyScope, shownScreens } from '../keys/names.ts'
import { activeOrganization } from '../state/app-state.ts'
import type { LoadState } from '../state/load-state.ts'
import type { ActionMenu, Choice, DisabledReasons } from '../state/shell-state.ts'
import { Beside } from './detail-pane.tsx'
import { LoadNote } from './load-note.tsx'

export interface ScreenProps {
  /** On top of the stack, with nothing over it. */
  readonly isActive: boolean
}

type PageList = Pick<ListControl<unknown>, 'state' | 'intents' | 'typing' | 'idle'>

export interface PageProps extends ScreenProps {
  readonly screen: KeyScope
  readonly intents: Intents
  /** Why an intent is disabled now; it stays listed. */
  readonly disabledReasons?: DisabledReasons
  /** What `x` shows, and `:` finds. */
  readonly actions?: ActionMenu | undefined
  /** What the screen is a list of, with the keys to move in it; while a filter is typed its keys take their place. */
  readonly list?: PageList
  /** What the keys of the screen are about is not there yet. */
  readonly isLoading?: boolean
  /** A line above the list, over the whole width. */
  readonly above?: ReactNode
  /** What is selected: a wide terminal shows it beside the list. */
  readonly detail?: Detail | undefined
  readonly children: ReactNode
}

const none: ReadonlySet<Intent> = new Set()

/** The body of a screen and its footer, with the keys of the screen and of the frame around it. */
export function Page(props: PageProps) {
  const { above, detail, children } = props
  const { width, height, isNarrow } = useShell()
  const keys = usePageKeys(props)
  return (
    <Box flexDirection="column">
      <Box flexDirection="column" height={height} overflow="hidden">
        <Box flexDirection="column" flexShrink={0}>
          {above}
          <Beside detail={detail} height={height - (above ? 1 : 0)}>
            {children}
          </Beside>
        </Box>
      </Box>
      {!isNarrow && <Rule width={width} />}
      <Footer keys={keys} width={width} />
    </Box>
  )
}

export type Loaded<V> = Pick<LoadState<V>, 'data' | 'isLoading' | 'shownError'>

interface WaitingProps extends Pick<PageProps, 'screen' | 'intents' | 'isActive'> {
  readonly loaded: Loaded<unknown>
  /** Said where there is nothing. */
  readonly gone: string
}

/** A screen whose data is not there, yet or any more. */
export function Waiting({ loaded: { data, isLoading, shownError }, gone, ...props }: WaitingProps) {
  const waits = data === undefined && isLoading
  return (
    <Page {...props} isLoading={waits}>
      <LoadNote isLoading={waits} shownError={shownError} empty={gone} />
    </Page>
  )
}

/** Has them work, and answers those of the footer. */
function usePageKeys({ screen, isActive, isLoading, list, actions, intents, disabledReasons = {} }: PageProps) {
  const { below } = useShell()
  const typing = list?.state.isTyping ? list.typing.intents : undefined
  const scope = typing ? 'typing' : screen
  const idle = (!isLoading && list?.idle) || none
  const own = { ...list?.intents, ...intents }
  const all = useShellIntents({ scope: screen, own, disabledReasons, idle, actions })
  const working = typing ?? all
  useBindings(scope, working, isActive, isLoading)
  // What does nothing here is not shown.
  return screenFooterOf(scope, below === undefined)
    .filter(({ intent }) => working[intent] !== undefined && !idle.has(intent))
    .map(({ intent, ...key }) => ({ ...key, isDisabled: disabledReasons[intent] !== undefined }))
}

interface OwnIntents {
  readonly scope: KeyScope
  readonly own: Intents
  readonly disabledReasons: DisabledReasons
  /** What is idle is not offered. */
  readonly idle: ReadonlySet<Intent>
  readonly actions: ActionMenu | undefined
}

/** The intents that every screen has, around its own. */
function useShellIntents({ scope, own, disabledReasons, idle, actions }: OwnIntents): Intents {
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

/** What was read, seen together with what is known; `see` must be the same function each time. */
export function useSeen<D, K, V>({ data, isLoading, shownError }: Loaded<D>, known: K, see: (data: D, known: K) => V) {
  const seen = useMemo(() => (data === undefined ? undefined : see(data, known)), [data, known, see])
  return { data: seen, isLoading, shownError }
}
