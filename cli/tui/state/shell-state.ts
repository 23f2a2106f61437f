import type { Form } from '../../flows/flow.ts'
import type { NumberedScreen, ScreenName } from '../keys/keys.ts'
import type { Tone } from '../theme.ts'
import type { AppState } from './app-store.ts'

/** One screen of the stack; `subject` is the id of what it shows. */
export interface Route {
  readonly screen: ScreenName
  readonly subject?: string
  /** What a person calls that thing. */
  readonly title?: string
  /** Of the screen `form`: made anew when the state of the program changes. */
  readonly form?: (state: AppState) => Form
  /** The organization that it is in. */
  readonly organizationId?: string
}

interface Toast {
  readonly text: string
  readonly tone: Tone
}

export interface ShellState<Overlay> {
  readonly stack: readonly [Route, ...Route[]]
  readonly overlay: Overlay | undefined
  readonly toast: Toast | undefined
  readonly isReadOnly: boolean
}

export type ShellAction<Overlay> =
  | { readonly type: 'open'; readonly route: Route }
  | { readonly type: 'go'; readonly screen: NumberedScreen }
  | { readonly type: 'back' }
  | { readonly type: 'show'; readonly overlay: Overlay }
  | { readonly type: 'close' }
  | { readonly type: 'say'; readonly toast: Toast }
  | { readonly type: 'hush'; readonly toast: Toast }
  | { readonly type: 'toggle-read-only' }

export const startShell = (screen: NumberedScreen, isReadOnly: boolean): ShellState<never> => ({
  stack: [{ screen }],
  overlay: undefined,
  toast: undefined,
  isReadOnly,
})

export function shellReducer<Overlay>(state: ShellState<Overlay>, action: ShellAction<Overlay>): ShellState<Overlay> {
  switch (action.type) {
    case 'open':
      return { ...state, stack: [...state.stack, action.route], overlay: undefined }
    case 'go':
      return { ...state, stack: [{ screen: action.screen }], overlay: undefined }
    case 'back':
      return { ...state, stack: shorter(state.stack), overlay: undefined }
    case 'show':
      return { ...state, overlay: action.overlay }
    case 'close':
      return { ...state, overlay: undefined }
    case 'say':
      return { ...state, toast: action.toast }
    case 'hush':
      return state.toast === action.toast ? { ...state, toast: undefined } : state
    case 'toggle-read-only':
      return toggleReadOnly(state)
  }
}

/** Back from a screen at the top leads home. */
function shorter([first, ...rest]: readonly [Route, ...Route[]]): readonly [Route, ...Route[]] {
  return rest.length > 0 ? [first, ...rest.slice(0, -1)] : [{ screen: 'home' }]
}

function toggleReadOnly<Overlay>(state: ShellState<Overlay>): ShellState<Overlay> {
  const text = state.isReadOnly ? 'Changes are allowed again' : 'Read-only: nothing will be changed'
  return { ...state, isReadOnly: !state.isReadOnly, toast: { text, tone: state.isReadOnly ? 'plain' : 'warning' } }
}
