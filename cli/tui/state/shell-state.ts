import type { AuditEventView } from '../../../shared/audit.ts'
import type { Form, Texts } from '../../flows/flow.ts'
import type { Trail } from '../../flows/resource.ts'
import type { BrowserTask } from '../../flows/waiting.ts'
import type { Intent, KeyScope, NumberedScreen, ScreenName } from '../keys/names.ts'
import type { ShownError } from '../text/shown-error.ts'
import type { Tone } from '../theme.ts'
import type { AppState } from './app-state.ts'

/** One screen of the stack; `subject` is the id of what it shows. */
export interface Route {
  readonly screen: ScreenName
  readonly subject?: string
  /** What a person calls that thing. */
  readonly title?: string
  /** Of the screen `form`: made anew when the state of the program changes. */
  readonly form?: (state: AppState) => Form
  /** Of the screen `trail`: which events it lists. */
  readonly trail?: Trail
  /** Of the screen `event`. */
  readonly event?: AuditEventView
  /** The organization that it is in. */
  readonly organizationId?: string
}

interface Toast {
  readonly text: string
  readonly tone: Tone
}

/** The path to a screen, from one with a number on. */
type Path = readonly [Route, ...Route[]]

export interface ShellState<Overlay> {
  readonly stack: Path
  readonly overlay: Overlay | undefined
  readonly toast: Toast | undefined
  readonly isReadOnly: boolean
  /** The id of what was made last. */
  readonly created: string | undefined
  /** How often one went to a screen that is no number's: it begins anew, though it was there before. */
  readonly jumps: number
}

/** Whether what is shown, over that screen, may not be covered. */
type IsKept<Overlay> = (shown: Overlay | undefined, screen: Route) => boolean

export type ShellAction<Overlay> =
  | { readonly type: 'open'; readonly route: Route }
  | { readonly type: 'go'; readonly path: Path }
  | { readonly type: 'back' }
  | { readonly type: 'show'; readonly overlay: Overlay | undefined }
  | { readonly type: 'tell'; readonly overlay: Overlay; readonly isKept: IsKept<Overlay> }
  | { readonly type: 'say'; readonly toast: Toast }
  | { readonly type: 'hush'; readonly toast: Toast }
  | { readonly type: 'arrive'; readonly id: string }
  | { readonly type: 'toggle-read-only' }

export const startShell = (screen: NumberedScreen, isReadOnly: boolean): ShellState<never> => ({
  stack: [{ screen }],
  overlay: undefined,
  toast: undefined,
  isReadOnly,
  created: undefined,
  jumps: 0,
})

export function shellReducer<Overlay>(state: ShellState<Overlay>, action: ShellAction<Overlay>): ShellState<Overlay> {
  switch (action.type) {
    case 'open':
      return { ...state, stack: [...state.stack, action.route], overlay: undefined }
    case 'go':
      return gone(state, action.path)
    case 'back':
      return { ...state, stack: shorter(state.stack), overlay: undefined }
    case 'show':
      return { ...state, overlay: action.overlay }
    case 'tell':
      return told(state, action)
    case 'say':
      return { ...state, toast: action.toast }
    case 'hush':
      return hushed(state, action.toast)
    case 'arrive':
      return { ...state, created: action.id }
    case 'toggle-read-only':
      return toggleReadOnly(state)
  }
}

const gone = <Overlay>(state: ShellState<Overlay>, path: Path): ShellState<Overlay> => ({
  ...state,
  stack: path,
  overlay: undefined,
  jumps: state.jumps + (path.length > 1 ? 1 : 0),
})

const hushed = <Overlay>(state: ShellState<Overlay>, toast: Toast): ShellState<Overlay> =>
  state.toast === toast ? { ...state, toast: undefined } : state

/** Nobody asked for it: it may find something that is not to be covered. */
const told = <Overlay>(
  state: ShellState<Overlay>,
  { overlay, isKept }: { readonly overlay: Overlay; readonly isKept: IsKept<Overlay> },
): ShellState<Overlay> => (isKept(state.overlay, state.stack.at(-1) ?? state.stack[0]) ? state : { ...state, overlay })

/** Back from a screen at the top leads home. */
function shorter([first, ...rest]: Path): Path {
  return rest.length > 0 ? [first, ...rest.slice(0, -1)] : [{ screen: 'home' }]
}

function toggleReadOnly<Overlay>(state: ShellState<Overlay>): ShellState<Overlay> {
  const text = state.isReadOnly ? 'Changes are allowed again' : 'Read-only: nothing will be changed'
  return { ...state, isReadOnly: !state.isReadOnly, toast: { text, tone: state.isReadOnly ? 'plain' : 'warning' } }
}

/** One line of a picker. With a reason against it, it stays listed but cannot be chosen. */
export interface Choice {
  readonly id: string
  readonly label: string
  /** What stands beside it: its key, its command, its server. */
  readonly hint?: string
  /** What does it without a menu, as the table of keys names it. */
  readonly key?: string | undefined
  /** What it is found by besides. */
  readonly names?: readonly string[]
  readonly isPlace?: boolean
  readonly destroys?: boolean
  readonly disabledReason?: string | undefined
  readonly run: () => void
}

/** What can be done with what is selected, and where one is. */
export interface ActionMenu {
  readonly title: string
  readonly choices: readonly Choice[]
}

export type DisabledReasons = Partial<Readonly<Record<Intent, string | undefined>>>

export type Overlay =
  | {
      readonly kind: 'help'
      readonly scope: KeyScope
      readonly disabledReasons: DisabledReasons
      readonly hidden?: readonly Intent[]
    }
  | {
      readonly kind: 'picker'
      readonly title: string
      /** Said before the choices. */
      readonly note?: string | undefined
      readonly choices: readonly Choice[]
      readonly isSearchable?: boolean
    }
  | {
      readonly kind: 'confirm'
      readonly question: string
      /** What exactly it is done to. */
      readonly details: readonly string[]
      readonly command: string
      /** To be typed before it is done. */
      readonly word?: string | undefined
      readonly onYes: () => void
    }
  | {
      readonly kind: 'waiting'
      readonly task: BrowserTask
      readonly note: string | undefined
      readonly onCancel: () => void
    }
  | {
      /** Gone when it is left: nothing else shows it. */
      readonly kind: 'secret'
      readonly sentence: string
      readonly secret: string
    }
  | {
      readonly kind: 'error'
      /** Where it is not that something did not work. */
      readonly title?: string
      readonly shownError: ShownError
      /** For the form that the error offers. */
      readonly given: Texts
    }

/** What is kept of each screen, for when a person comes back to it. */
export type Places = Map<string, unknown>

/** The name under which a screen's places are kept. */
export const placeOf = ({ screen, subject = '', organizationId = '' }: Route): string =>
  `${screen} ${organizationId} ${subject}`
