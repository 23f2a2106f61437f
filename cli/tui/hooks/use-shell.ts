import { createContext, useContext, useSyncExternalStore } from 'react'
import { type FieldTexts, type FlowResult, type Inverse, resultText } from '../../flows/flow.ts'
import type { Restrictions } from '../forms/disabled-reason.ts'
import type { NumberedScreen } from '../keymap/names.ts'
import { type AppState, isImpersonating } from '../state/app-state.ts'
import type { AppStore } from '../state/app-store.ts'
import { type Choice, formRoute, type Overlay, type Route, type ScreenStates } from '../state/shell-state.ts'
import type { Tone } from '../theme.ts'

/** The functions and state that the frame provides to every screen. */
export interface Shell {
  readonly store: AppStore
  readonly isReadOnly: boolean
  /** Size inside the frame. */
  readonly width: number
  readonly height: number
  /** The window is small, so content is shown in one column. */
  readonly isNarrow: boolean
  /** The kept state of each screen. */
  readonly places: ScreenStates
  /** Id of the resource created last. A list selects it once. */
  readonly created: string | undefined
  /** The screen below the current one. */
  readonly below: Route | undefined
  /** Id of the organization on the screen. */
  readonly within: string | undefined
  readonly open: (route: Route) => void
  /** Replaces the stack with a numbered screen, and opens other screens on top of it. */
  readonly go: (screen: NumberedScreen, ...below: readonly Route[]) => void
  /** One screen back. From the bottom of the stack, to Home. */
  readonly back: () => void
  /** Quits at the bottom of the stack, otherwise goes back. */
  readonly quit: () => void
  /** Quits from any screen. */
  readonly exit: () => void
  readonly show: (overlay: Overlay) => void
  /** Replaces the overlay unless it was closed. */
  readonly replace: (shown: Overlay, overlay: Overlay) => void
  /** Closes the shown overlay, or the given one, which another may cover. */
  readonly close: (overlay?: Overlay) => void
  readonly say: (text: string, tone?: Tone) => void
  /** Takes away a notice, if it is still shown. */
  readonly hush: (text: string) => void
  /** Shows a result with its command. Lists select a new resource as soon as they contain it. */
  readonly report: (done: FlowResult, command: string) => void
  /** Takes back what was reported last, as long as that is shown. */
  readonly inverse: Inverse | undefined
  /** Tells the user why an action is disabled. */
  readonly sayDisabled: (label: string, disabledReason: string) => void
  /** Shows a failure in full, and reloads when the session is over. `given` fills the form that the failure offers. */
  readonly fail: (error: unknown, given?: FieldTexts) => void
  /** Copies to the clipboard of the user's terminal. */
  readonly copy: (text: string, what: string) => void
  /** Like `copy`, but the notice does not contain the text, since it stays longer than the screen with the secret. */
  readonly copySecret: (secret: string, what: string) => void
  readonly toggleReadOnly: () => void
}

export const ShellContext = createContext<Shell | undefined>(undefined)

export function useShell(): Shell {
  const shell = useContext(ShellContext)
  if (!shell) throw new Error('This part of the screen has no frame around it')
  return shell
}

/** The app state. The component renders again when it changes. */
export function useAppState(): AppState {
  const { store } = useShell()
  return useSyncExternalStore(store.subscribe, store.snapshot)
}

export const restrictionsOf = ({ isReadOnly }: Pick<Shell, 'isReadOnly'>, state: AppState): Restrictions => ({
  isReadOnly,
  isImpersonating: isImpersonating(state),
})

export const useRestrictions = (): Restrictions => restrictionsOf(useShell(), useAppState())

/** Runs the choice, or says why it is disabled. */
export function runChoice(
  { sayDisabled }: Pick<Shell, 'sayDisabled'>,
  { label, disabledReason, run }: Pick<Choice, 'label' | 'disabledReason' | 'run'>,
): void {
  if (disabledReason) sayDisabled(label, disabledReason)
  else run()
}

/** Offers the form that follows an action, if there is one. */
export function offerNextForm({ open, show }: Pick<Shell, 'open' | 'show'>, done: FlowResult): void {
  const { next: form, nextWords } = done
  if (!form) return
  const { title: label, command, initial } = form
  const choices = [
    { id: label, label, hint: command(initial), run: () => open(formRoute(form)) },
    { id: 'later', label: 'Later', run: () => {} },
  ]
  show({ kind: 'picker', title: resultText(done), note: nextWords && `${nextWords}:`, choices })
}

/** How a result is told: some or all of several inputs may have failed. */
export function toneOf({ results = [] }: FlowResult): Tone {
  const failed = results.filter(({ problem }) => problem !== undefined).length
  if (failed === 0) return 'good'
  return failed < results.length ? 'warning' : 'danger'
}

/** If some of several inputs failed, tells what became of each. */
export function showFailures(
  { show }: Pick<Shell, 'show'>,
  { sentence, results = [] }: FlowResult,
  first: readonly Choice[] = [],
): void {
  if (results.every(({ problem }) => problem === undefined)) return
  const told = results.map(({ input, problem }, at) => ({
    id: `${at} of ${input}`,
    label: input,
    hint: 'done',
    disabledReason: problem,
    run: () => {},
  }))
  show({ kind: 'picker', title: sentence, choices: [...first, ...told] })
}
