import { Box } from 'ink'
import { type ReactNode, useMemo } from 'react'
import { stopImpersonating } from '../../flows/admin/impersonate.ts'
import { switchOrganization } from '../../flows/org/own-acts.ts'
import { workInNone } from '../../flows/org/resource.ts'
import type { Detail } from '../../flows/resource-fields.ts'
import { Footer } from '../components/footer.tsx'
import { Rule } from '../components/primitives.tsx'
import { useAction, useUndo } from '../hooks/use-action.ts'
import { type Intents, useBindings } from '../hooks/use-bindings.ts'
import { useScreenKey } from '../hooks/use-kept-state.ts'
import { useKeymap } from '../hooks/use-keymap.ts'
import type { ListControl } from '../hooks/use-list.ts'
import { PageMouseContext } from '../hooks/use-mouse.ts'
import { useAccountPicker } from '../hooks/use-own-actions.ts'
import { usePalette } from '../hooks/use-palette.ts'
import { runChoice, type Shell, useAppState, useShell } from '../hooks/use-shell.ts'
import { keyOf, screenFooterKeysOf } from '../keymap/key-text.ts'
import { bindingsOf } from '../keymap/keymap.ts'
import { type Intent, type KeyScope, type NumberedScreen, numberedScreens, screenReason } from '../keymap/names.ts'
import { activeOrganization } from '../state/app-state.ts'
import type { LoadState } from '../state/load-state.ts'
import type { ActionMenu, Choice, DisabledReasons } from '../state/shell-state.ts'
import { LoadNote } from './load-note.tsx'
import { SplitPane } from './split-pane.tsx'

export interface ScreenProps {
  /** On top of the stack and not covered by an overlay. */
  readonly isActive: boolean
}

type PageList = Pick<ListControl<unknown>, 'state' | 'intents' | 'typing' | 'idle'>

export interface PageProps extends ScreenProps {
  readonly screen: KeyScope
  readonly intents: Intents
  /** Why an intent is disabled. It stays listed. */
  readonly disabledReasons?: DisabledReasons
  /** The actions of the menu (`x`) and the palette (`:`). */
  readonly actions?: ActionMenu | undefined
  /** The screen's list with its keys. While a filter is typed, the filter's keys replace them. */
  readonly list?: PageList
  /** The data that the keys act on is still loading. */
  readonly isLoading?: boolean
  /** A line above the list, as wide as the frame. */
  readonly above?: ReactNode
  /** The selected item, shown beside the list in a wide terminal. */
  readonly detail?: Detail | undefined
  readonly children: ReactNode
}

const none: ReadonlySet<Intent> = new Set()

/** The body of a screen and its footer, with the keys of the screen and of the frame. */
export function Page(props: PageProps) {
  const { above, detail, isActive, isLoading = false, children } = props
  const { width, height, isNarrow } = useShell()
  const { keys, open } = usePageKeys(props)
  return (
    <PageMouseContext.Provider value={{ isActive: isActive && !isLoading, open }}>
      <Box flexDirection="column">
        <Box flexDirection="column" height={height} overflowY="hidden">
          <Box flexDirection="column" flexShrink={0}>
            {above}
            <SplitPane detail={detail} height={height - (above ? 1 : 0)}>
              {children}
            </SplitPane>
          </Box>
        </Box>
        {!isNarrow && <Rule width={width} />}
        <Footer keys={keys} width={width} />
      </Box>
    </PageMouseContext.Provider>
  )
}

export type LoadResult<V> = Pick<LoadState<V>, 'data' | 'isLoading' | 'shownError'>

interface WaitingPageProps extends Pick<PageProps, 'screen' | 'intents' | 'isActive'> {
  readonly loaded: LoadResult<unknown>
  /** Shown when there is no data. */
  readonly gone: string
}

/** A screen whose data is loading or gone. */
export function WaitingPage({ loaded: { data, isLoading, shownError }, gone, ...props }: WaitingPageProps) {
  const waits = data === undefined && isLoading
  return (
    <Page {...props} isLoading={waits}>
      <LoadNote isLoading={waits} shownError={shownError} empty={gone} />
    </Page>
  )
}

/** Binds the keys. Returns those for the footer, and what opens the selected item. */
function usePageKeys({ screen, isActive, isLoading, list, actions, intents, disabledReasons = {} }: PageProps) {
  const { below } = useShell()
  const typing = list?.state.isTyping ? list.typing.intents : undefined
  const scope = typing ? 'typing' : screen
  const idle = (!isLoading && list?.idle) || none
  const own = { ...list?.intents, ...intents }
  const all = useShellIntents({ scope: screen, own, disabledReasons, idle, actions, isActive })
  const working = typing ?? all
  useBindings(scope, working, isActive, isLoading)
  const keymap = useKeymap()
  // Leaves out keys without effect here.
  const keys = screenFooterKeysOf(keymap, scope, below === undefined)
    .filter(({ intent }) => working[intent] !== undefined && !idle.has(intent))
    .map(({ intent, ...key }) => ({ ...key, isDisabled: disabledReasons[intent] !== undefined }))
  return { keys, open: all.open }
}

interface OwnIntents extends ScreenProps {
  readonly scope: KeyScope
  readonly own: Intents
  readonly disabledReasons: DisabledReasons
  /** Intents without effect, which are not offered. */
  readonly idle: ReadonlySet<Intent>
  readonly actions: ActionMenu | undefined
}

/** The intents of every screen, combined with the screen's own. */
function useShellIntents({ scope, own, idle, actions, isActive, ...props }: OwnIntents): Intents {
  const shell = useShell()
  const screenKey = useScreenKey()
  const { current, isAdmin } = useAppState()
  const choosing = useAccountPicker()
  const organizations = useOrganizationChoices()
  const stopping = useStopImpersonating()
  const keymap = useKeymap()
  const all = bindingsOf(keymap, scope)
  const disabledReasons = { 'screen-admin': screenReason('admin', isAdmin), ...props.disabledReasons }
  const intents: Intents = {
    ...screenIntents(shell, isAdmin),
    ...(current?.impersonating === undefined ? {} : { 'stop-impersonating': stopping }),
    refresh: () => shell.store.refresh(),
    quit: shell.quit,
    undo: useUndo(),
    'read-only': shell.toggleReadOnly,
    'switch-account': choosing,
    'switch-organization': () =>
      organizations
        ? shell.show({ kind: 'picker', title: 'Work in', choices: organizations, isSearchable: true })
        : shell.say(
            `Your organizations are not loaded yet: ${keyOf(keymap, 'reload', 'refresh')} asks the service again`,
            'warning',
          ),
    ...(actions && { actions: () => showMenu(shell, actions) }),
    help: () => shell.show({ kind: 'help', scope, disabledReasons, hidden }),
    ...own,
    back: () => {
      if (shell.store.activity.stop(screenKey)) shell.say('Stopping after this one')
      else (own.back ?? shell.back)()
    },
  }
  // The help leaves out keys without effect here or for this user.
  const isHidden = (one: Intent) => idle.has(one) || (one !== 'palette' && intents[one] === undefined)
  const hidden = all.map(({ intent }) => intent).filter(isHidden)
  const bindings = all.filter(({ intent }) => !isHidden(intent))
  return { ...intents, palette: usePalette({ bindings, intents, disabledReasons, actions }, isActive) }
}

/** Opens a menu unless it is empty. */
export function showMenu({ show, say }: Shell, actions: ActionMenu): void {
  if (actions.choices.length === 0) return say('Nothing is selected')
  show({ kind: 'picker', ...actions })
}

/** Undefined when the organizations could not be read. */
function useOrganizationChoices(): readonly Choice[] | undefined {
  const state = useAppState()
  const using = useAction(switchOrganization)
  const active = activeOrganization(state)
  const choices = state.organizations?.map((organization) => ({
    ...using.choice([organization], []),
    id: organization.id,
    label: organization.name,
    names: [organization.slug],
    hint: organization === active ? `${organization.slug}  active` : organization.slug,
  }))
  return choices && choices.length > 0
    ? [...choices, { ...using.choice([null], []), label: workInNone.label, hint: active ? '' : 'active' }]
    : choices
}

const screenIntents = (shell: Shell, isAdmin: boolean | undefined): Intents =>
  Object.fromEntries(
    numberedScreens.map(({ screen }) => [`screen-${screen}`, () => openNumbered(shell, screen, isAdmin)]),
  )

/** Opens a numbered screen, or says why it stays shut. */
export function openNumbered(shell: Shell, screen: NumberedScreen, isAdmin: boolean | undefined): void {
  const label = numberedScreens.find((one) => one.screen === screen)?.title ?? screen
  runChoice(shell, { label, disabledReason: screenReason(screen, isAdmin), run: () => shell.go(screen) })
}

/** Returns a function that stops impersonating and returns to the user's own session. */
export function useStopImpersonating(): () => void {
  const { store, go, fail } = useShell()
  const { current } = useAppState()
  const stopping = useAction(stopImpersonating, { onDone: () => go('home') })
  return () => {
    if (!current) return
    store.accounts.impersonation(current).then((held) => stopping.ask([{ account: current, held }], []), fail)
  }
}

/** Combines loaded data with known data. `see` must be the same function each time. */
export function useMergedView<D, K, V>(
  { data, isLoading, shownError }: LoadResult<D>,
  known: K,
  see: (data: D, known: K) => V,
) {
  const seen = useMemo(() => (data === undefined ? undefined : see(data, known)), [data, known, see])
  return { data: seen, isLoading, shownError }
}
