import { useStdin } from 'ink'
import { type ReactNode, useEffect, useMemo, useReducer, useState, useSyncExternalStore } from 'react'
import { resultText } from '../flows/flow.ts'
import { isCancelled } from '../output/cli-error.ts'
import { escapeControls } from '../output/escape-controls.ts'
import { wrapAtMost } from '../output/width.ts'
import { readOnlyReason } from './forms/disabled-reason.ts'
import { useScreenStates } from './hooks/use-kept-state.ts'
import { useKeymap } from './hooks/use-keymap.ts'
import { usePolling } from './hooks/use-polling.ts'
import { type Shell, ShellContext, toneOf } from './hooks/use-shell.ts'
import { useLayout } from './hooks/use-size.ts'
import { useKeysOfUser } from './hooks/use-typed-ahead.ts'
import { keyOf } from './keymap/key-text.ts'
import type { Keymap } from './keymap/keymap.ts'
import type { NumberedScreen } from './keymap/names.ts'
import type { TuiPorts } from './ports.ts'
import { TooSmall } from './screens/chrome.tsx'
import { Frame } from './screens/frame.tsx'
import { ownerOf, sessionEndNotice } from './state/app-state.ts'
import { AppStore } from './state/app-store.ts'
import {
  type Overlay,
  type Route,
  type ShellAction,
  type ShellState,
  shellReducer,
  startShell,
  type Toast,
} from './state/shell-state.ts'
import type { Takeover } from './state/takeover.ts'
import { Keyboard } from './terminal/keyboard.ts'
import { toShownError } from './text/shown-error.ts'

interface AppProps {
  readonly store: AppStore
  readonly screen: NumberedScreen
  /** Read-only for the whole run. No key turns it off. */
  readonly isReadOnly: boolean
  /** Puts text on the clipboard. Returns false when it is too long. */
  readonly copy: (text: string) => boolean
  readonly onQuit: () => void
}

export const createApp = (ports: TuiPorts, props: Omit<AppProps, 'store'>): ReactNode => (
  <App store={new AppStore(ports)} {...props} />
)

/** How long a notice stays, in milliseconds: longer if it can be undone. */
const timeOf = ({ inverse }: Toast): number => (inverse ? 10_000 : 8000)

/** The root: the stack of screens, the overlay, and the functions available to every screen. */
export function App(props: AppProps) {
  const { store, screen, isReadOnly } = props
  const [state, dispatch] = useReducer(shellReducer, undefined, () => startShell(screen, isReadOnly))
  const room = useLayout()
  const places = useScreenStates(store)
  const { toast } = state
  const keymap = useKeymap()
  useEffect(() => void store.load(), [store])
  usePolling(store)
  const takeover = useTakeover(store, dispatch)
  useEndNotice(store, dispatch)
  useKeysOfUser(store)
  useInverseOfUser(store, dispatch)
  useEffect(() => {
    if (!toast) return undefined
    const timer = setTimeout(() => dispatch({ type: 'hush', isOver: (shown) => shown === toast }), timeOf(toast))
    return () => clearTimeout(timer)
  }, [toast])
  const { width, body, isNarrow } = room
  const told = toastText(state, keymap)
  // It can name thousands of commands.
  const toastLines = useMemo(() => toastLinesOf(told, width, body), [told, width, body])
  const height = Math.max(1, body - toastLines.length + 1)
  const { stack, isReadOnly: isReadOnlyNow, created } = state
  const inverse = toast?.inverse
  // The same object while an overlay opens and closes: hidden screens are not made anew then.
  const shell = useMemo(
    () => ({
      ...shellOf({ ...props, keymap }, { stack, isReadOnly: isReadOnlyNow, created, inverse }, dispatch),
      places,
      width,
      height,
      isNarrow,
    }),
    [props, keymap, stack, isReadOnlyNow, created, inverse, places, width, height, isNarrow],
  )
  return (
    <ShellContext.Provider value={shell}>
      {room.isTooSmall && <TooSmall />}
      <Frame
        state={takeover ? { ...state, overlays: [{ kind: 'takeover', takeover }] } : state}
        toastLines={toastLines}
        isHidden={room.isTooSmall}
      />
      <StrokeGate />
    </ShellContext.Provider>
  )
}

/** Lines kept for the screen, however long the notice: tabs or a note, headers, the selection, and the position. */
const leastBody = 4

/** The notice, with the key that undoes it while no text takes that key. */
function toastText({ toast, overlays, stack }: ShellState, keymap: Keymap): string {
  if (!toast) return ''
  const isTyped = overlays.length > 0 || stack.at(-1)?.screen === 'form'
  const undoing = toast.inverse && !isTyped ? [`${keyOf(keymap, 'shell', 'undo')} ${toast.inverse.words}`] : []
  return [[toast.text, ...undoing].join('. '), ...(toast.command === undefined ? [] : [toast.command])].join('  ·  ')
}

/** A notice in lines. When it is too long, the last line is cut: the commands for many hide no list. */
function toastLinesOf(text: string, width: number, body: number): readonly string[] {
  const last = Math.max(0, Math.min(body - leastBody, Math.max(leastBody, Math.floor(body / 3))))
  return wrapAtMost(escapeControls(text), width, last + 1)
}

/**
 * Tells at once when the session was ended elsewhere, except over a secret, over a browser prompt, and over a form that
 * needs no session: a notice must not interrupt a password typed to sign in again.
 */
function useEndNotice(store: AppStore, dispatch: Dispatch): void {
  const ended = useSyncExternalStore(store.subscribe, () => store.state.ended)
  useEffect(() => {
    if (!ended) return
    const overlay: Overlay = { kind: 'error', title: 'Signed out', shownError: sessionEndNotice(ended), given: {} }
    dispatch({ type: 'tell', overlay, isKept: ({ form }) => form?.(store.state).isForAnyone === true })
  }, [store, ended, dispatch])
}

/**
 * The change of the acting user by another terminal. It covers everything until the user acknowledges it. What was open
 * belonged to the former user and is closed, except a secret, and work that waits for a browser.
 */
function useTakeover(store: AppStore, dispatch: Dispatch): Takeover | undefined {
  const takeover = useSyncExternalStore(store.subscribe, () => store.state.takeover)
  useEffect(() => {
    if (takeover) dispatch({ type: 'go', path: [{ screen: 'home' }] })
  }, [takeover, dispatch])
  return takeover
}

/** What one user did cannot be undone as another. */
function useInverseOfUser(store: AppStore, dispatch: Dispatch): void {
  const owner = useSyncExternalStore(store.subscribe, () => ownerOf(store.state))
  useEffect(() => dispatch({ type: 'hush', isOver: ({ inverse }) => inverse !== undefined }), [owner, dispatch])
}

type Dispatch = (action: ShellAction) => void

const organizationIn = ({ screen, subject, organizationId }: Route): string | undefined =>
  screen === 'organization' ? subject : organizationId

interface AppWithKeys extends AppProps {
  readonly keymap: Keymap
}

function shellOf(
  props: AppWithKeys,
  {
    stack,
    isReadOnly,
    created,
    inverse,
  }: Pick<ShellState, 'stack' | 'isReadOnly' | 'created'> & Pick<Shell, 'inverse'>,
  dispatch: Dispatch,
): Omit<Shell, 'places' | 'width' | 'height' | 'isNarrow'> {
  const { store, onQuit } = props
  const say: Shell['say'] = (text, tone = 'plain') => dispatch({ type: 'say', toast: { text, tone } })
  return {
    store,
    isReadOnly,
    created,
    inverse,
    say,
    hush: (text) => dispatch({ type: 'hush', isOver: (toast) => toast.text === text }),
    report: (done, command) => {
      const { status, resource, inverse } = done
      dispatch({ type: 'say', toast: { text: resultText(done), tone: toneOf(done), command, inverse } })
      const { id } = Object(resource)
      if (status === 'created' && typeof id === 'string') dispatch({ type: 'arrive', id })
    },
    open: (route) => dispatch({ type: 'open', route }),
    go: (screen, ...below) => dispatch({ type: 'go', path: [{ screen }, ...below] }),
    back: () => dispatch({ type: 'back' }),
    quit: () => (stack.length > 1 ? dispatch({ type: 'back' }) : onQuit()),
    exit: onQuit,
    show: (overlay) => dispatch({ type: 'show', overlay }),
    replace: (shown, overlay) => dispatch({ type: 'replace', shown, overlay }),
    close: (overlay) => dispatch({ type: 'close', overlay }),
    below: stack.at(-2),
    within: stack.map(organizationIn).findLast((id) => id !== undefined),
    fail: (error, given = {}) => {
      // The user cancelled, so there is nothing to explain.
      if (isCancelled(error)) return say(error.message)
      const shownError = toShownError(error)
      dispatch({ type: 'show', overlay: { kind: 'error', shownError, given } })
      if (shownError.status === 401) void store.load()
    },
    ...readOnlyFunctions(props, say, dispatch),
    ...copyFunctions(props, say),
  }
}

const readOnlyFunctions = (
  { isReadOnly: isFirm, keymap }: AppWithKeys,
  say: Shell['say'],
  dispatch: Dispatch,
): Pick<Shell, 'sayDisabled' | 'toggleReadOnly'> => ({
  sayDisabled: (label, disabledReason) =>
    say(
      `${label}: ${disabledReason}${disabledReason === readOnlyReason && !isFirm ? `; ${keyOf(keymap, 'shell', 'read-only')} turns it off` : ''}`,
      'warning',
    ),
  toggleReadOnly: () =>
    isFirm
      ? say('This run is read-only: start again without it to change things', 'warning')
      : dispatch({ type: 'toggle-read-only' }),
})

const copyFunctions = ({ copy }: AppProps, say: Shell['say']): Pick<Shell, 'copy' | 'copySecret'> => ({
  copy: (text, what) => {
    if (!text) return say(`There is nothing to copy as ${what}`)
    if (!copy(text)) return say(`Not copied, since a terminal's clipboard is too small for ${what}`, 'warning')
    say(`Copied ${what}: ${text}`)
  },
  copySecret: (secret, what) => {
    copy(secret)
    say(`Copied ${what}`)
  },
})

/**
 * Tells the keyboard when everything is painted. Its own state change is batched with all earlier ones, and as the last
 * component of the tree its effects run after all listeners are attached.
 */
function StrokeGate() {
  const { stdin } = useStdin()
  const [asked, paint] = useState(0)
  const keyboard = stdin instanceof Keyboard ? stdin : undefined
  useEffect(() => keyboard?.paintWith(paint), [keyboard])
  useEffect(() => keyboard?.painted(asked), [keyboard, asked])
  return null
}
