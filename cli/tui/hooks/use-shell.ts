import { createContext, useContext, useSyncExternalStore } from 'react'
import { type Done, type Texts, toldOf } from '../../flows/flow.ts'
import type { Mode } from '../forms/disabled-reason.ts'
import type { NumberedScreen } from '../keys/names.ts'
import { type AppState, isImpersonating } from '../state/app-state.ts'
import type { AppStore } from '../state/app-store.ts'
import type { Choice, Overlay, Places, Route } from '../state/shell-state.ts'
import type { Tone } from '../theme.ts'

/** What every screen may ask of the frame around it. */
export interface Shell {
  readonly store: AppStore
  readonly isReadOnly: boolean
  /** Columns and lines inside the frame. */
  readonly width: number
  readonly height: number
  /** One column: the window is small. */
  readonly isNarrow: boolean
  /** Where the person was in each list. */
  readonly places: Places
  /** The id of what was made last: a list selects it once. */
  readonly created: string | undefined
  /** The screen under the one that is shown. */
  readonly below: Route | undefined
  /** The id of the organization that is looked at. */
  readonly within: string | undefined
  readonly open: (route: Route) => void
  /** Away from where one is: to a screen with a number, or to the last of what is below it. */
  readonly go: (screen: NumberedScreen, ...below: readonly Route[]) => void
  /** One screen back; from a screen at the top, home. */
  readonly back: () => void
  /** Ends at the top, goes back elsewhere. */
  readonly quit: () => void
  /** Ends wherever one is. */
  readonly exit: () => void
  readonly show: (overlay: Overlay) => void
  /** Shows another one in place of that, if it is still there. */
  readonly replace: (shown: Overlay, overlay: Overlay) => void
  readonly close: () => void
  readonly say: (text: string, tone?: Tone) => void
  /** Lists select what was made, as soon as they have it. */
  readonly arrive: (done: Done) => void
  /** Says why this cannot be done now. */
  readonly sayDisabled: (label: string, disabledReason: string) => void
  /** Shows a failure whole; a session that is over is noticed. `given` goes into the form that it offers. */
  readonly fail: (error: unknown, given?: Texts) => void
  /** To the clipboard of the person's own terminal. */
  readonly copy: (text: string, what: string) => void
  /** The same, and the notice does not show it: it stays longer than the screen that does. */
  readonly copySecret: (secret: string, what: string) => void
  readonly toggleReadOnly: () => void
}

export const ShellContext = createContext<Shell | undefined>(undefined)

export function useShell(): Shell {
  const shell = useContext(ShellContext)
  if (!shell) throw new Error('This part of the screen has no frame around it')
  return shell
}

/** Whose session we act with, painted again when that changes. */
export function useAppState(): AppState {
  const { store } = useShell()
  return useSyncExternalStore(store.subscribe, store.snapshot)
}

export const modeOf = ({ isReadOnly }: Pick<Shell, 'isReadOnly'>, state: AppState): Mode => ({
  isReadOnly,
  isImpersonating: isImpersonating(state),
})

export const useMode = (): Mode => modeOf(useShell(), useAppState())

/** Does it, or says why not now. */
export function pick(
  { sayDisabled }: Pick<Shell, 'sayDisabled'>,
  { label, disabledReason, run }: Pick<Choice, 'label' | 'disabledReason' | 'run'>,
): void {
  if (disabledReason) sayDisabled(label, disabledReason)
  else run()
}

/** Offers the form that follows on something done, where one does; it can wait. */
export function offerNext({ open, show, close }: Pick<Shell, 'open' | 'show' | 'close'>, done: Done): void {
  const { next: form, nextWords } = done
  if (!form) return
  const { title: label, command, initial } = form
  const start = () => open({ screen: 'form', form: () => form, title: label })
  const choices = [
    { id: label, label, hint: command(initial), run: start },
    { id: 'later', label: 'Later', run: close },
  ]
  show({ kind: 'picker', title: toldOf(done), note: nextWords && `${nextWords}:`, choices })
}
