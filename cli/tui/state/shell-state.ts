import type { AuditEventView } from '../../../shared/audit.ts'
import type { Trail } from '../../flows/audit/trail.ts'
import type { FieldTexts, Form, Inverse } from '../../flows/flow.ts'
import { pagedCommand } from '../../flows/paged.ts'
import type { Fact } from '../../flows/resource-fields.ts'
import type { BrowserTask } from '../../flows/waiting.ts'
import type { Intent, KeyScope, NumberedScreen, ScreenName } from '../keymap/names.ts'
import type { ShownError } from '../text/shown-error.ts'
import type { Tone } from '../theme.ts'
import type { AppState } from './app-state.ts'
import type { Takeover } from './takeover.ts'

/** One screen of the stack. `subject` is the id of the resource that it shows. */
export interface Route {
  readonly screen: ScreenName
  readonly subject?: string
  /** The user-visible name of that resource. */
  readonly title?: string
  /** For the screen `form`: made again when the app state changes. */
  readonly form?: (state: AppState) => Form
  /** For the screen `trail`: the events that it lists. */
  readonly trail?: Trail
  /** For the screen `event`. */
  readonly event?: AuditEventView
  /** The organization that contains the subject. */
  readonly organizationId?: string
}

export const formRoute = (form: Form): Route => ({ screen: 'form', form: () => form, title: form.title })

export interface Toast {
  readonly text: string
  readonly tone: Tone
  /** The command that did it. */
  readonly command?: string
  /** Takes back what the text reports, while it is shown. */
  readonly inverse?: Inverse | undefined
}

/** The stack of screens, with a numbered one at the bottom. */
type Path = readonly [Route, ...Route[]]

export interface ShellState {
  readonly stack: Path
  /** The shown one comes first. The others are shown once it is closed. */
  readonly overlays: readonly Overlay[]
  readonly toast: Toast | undefined
  readonly isReadOnly: boolean
  /** Id of the resource created last. */
  readonly created: string | undefined
  /** How often the user jumped to a screen on top of others. Part of the React key, so that the target starts fresh. */
  readonly jumps: number
}

export type ShellAction =
  | { readonly type: 'open'; readonly route: Route }
  | { readonly type: 'go'; readonly path: Path }
  | { readonly type: 'back' }
  | { readonly type: 'show'; readonly overlay: Overlay }
  | { readonly type: 'replace'; readonly shown: Overlay; readonly overlay: Overlay }
  /** Without an overlay: the shown one. */
  | { readonly type: 'close'; readonly overlay?: Overlay | undefined }
  /** It comes unasked, so it must not cover what has to stay visible. */
  | { readonly type: 'tell'; readonly overlay: Overlay; readonly isKept: (screen: Route) => boolean }
  | { readonly type: 'say'; readonly toast: Toast }
  | { readonly type: 'hush'; readonly isOver: (toast: Toast) => boolean }
  | { readonly type: 'arrive'; readonly id: string }
  | { readonly type: 'toggle-read-only' }

export const startShell = (screen: NumberedScreen, isReadOnly: boolean): ShellState => ({
  stack: [{ screen }],
  overlays: [],
  toast: undefined,
  isReadOnly,
  created: undefined,
  jumps: 0,
})

export function shellReducer(state: ShellState, action: ShellAction): ShellState {
  switch (action.type) {
    case 'open':
    case 'go':
    case 'back':
      return { ...state, ...movedBy(state, action), overlays: state.overlays.filter(isLasting) }
    case 'say':
      return { ...state, toast: action.toast }
    case 'hush':
      return hideToast(state, action.isOver)
    case 'arrive':
      return { ...state, created: action.id }
    case 'toggle-read-only':
      return toggleReadOnly(state)
    default:
      return { ...state, overlays: overlaysAfter(state, action) }
  }
}

type Move = Extract<ShellAction, { type: 'open' | 'go' | 'back' }>

function movedBy({ stack, jumps }: ShellState, move: Move): Pick<ShellState, 'stack' | 'jumps'> {
  if (move.type === 'open') return { stack: [...stack, move.route], jumps }
  if (move.type === 'back') return { stack: pathBack(stack), jumps }
  return { stack: move.path, jumps: jumps + (move.path.length > 1 ? 1 : 0) }
}

/** Closed by nothing but its own end: a secret would be lost, and nobody could cancel the work that goes on. */
const isLasting = ({ kind }: Overlay): boolean => kind === 'secret' || kind === 'waiting'

type Covering = Extract<ShellAction, { type: 'show' | 'replace' | 'close' | 'tell' }>

function overlaysAfter({ overlays, stack }: ShellState, action: Covering): readonly Overlay[] {
  const [shown] = overlays
  switch (action.type) {
    case 'show':
      return covered(overlays, action.overlay)
    case 'replace':
      return overlays.map((one) => (one === action.shown ? action.overlay : one))
    case 'close':
      return overlays.filter((one) => one !== (action.overlay ?? shown))
    case 'tell':
      return (shown && isLasting(shown)) || action.isKept(stack.at(-1) ?? stack[0])
        ? overlays
        : covered(overlays, action.overlay)
  }
}

/** A secret stays in front. Work that waits comes back after what covers it. */
const covered = (overlays: readonly Overlay[], overlay: Overlay): readonly Overlay[] =>
  overlays[0]?.kind === 'secret' ? [...overlays, overlay] : [overlay, ...overlays.filter(isLasting)]

const hideToast = (state: ShellState, isOver: (toast: Toast) => boolean): ShellState =>
  state.toast && isOver(state.toast) ? { ...state, toast: undefined } : state

/** Going back from the bottom of the stack leads to Home. */
function pathBack([first, ...rest]: Path): Path {
  return rest.length > 0 ? [first, ...rest.slice(0, -1)] : [{ screen: 'home' }]
}

function toggleReadOnly(state: ShellState): ShellState {
  const text = state.isReadOnly ? 'Changes are allowed again' : 'Read-only: nothing will be changed'
  return { ...state, isReadOnly: !state.isReadOnly, toast: { text, tone: state.isReadOnly ? 'plain' : 'warning' } }
}

/** One line of a picker. A disabled choice stays listed with its reason. */
export interface Choice {
  readonly id: string
  readonly label: string
  /** Shown beside the label: a key, command or server. */
  readonly hint?: string
  /** The key that does the same without a menu, by its name in the keymap. */
  readonly key?: string | undefined
  /** Other names that a search finds it by. */
  readonly names?: readonly string[]
  readonly isPlace?: boolean
  readonly destroys?: boolean
  readonly disabledReason?: string | undefined
  readonly run: () => void
}

/** The actions on the selection and on the screen's subject. */
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
      /** Shown above the choices. */
      readonly note?: string | undefined
      readonly choices: readonly Choice[]
      /** The choices are still to come. */
      readonly isLoading?: boolean
      readonly isSearchable?: boolean
    }
  | {
      readonly kind: 'confirm'
      readonly question: string
      /** What exactly the action affects. */
      readonly details: readonly string[]
      readonly command: string
      /** The word that the user has to type first. */
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
      /** Shown only once: closing it is final. */
      readonly kind: 'secret'
      readonly sentence: string
      readonly secret: string
    }
  | {
      readonly kind: 'error'
      /** Replaces the default title, which says that something failed. */
      readonly title?: string
      readonly shownError: ShownError
      /** Initial texts of the form that the error offers. */
      readonly given: FieldTexts
    }
  | { readonly kind: 'details'; readonly facts: readonly Fact[] }
  | { readonly kind: 'takeover'; readonly takeover: Takeover }

/** The kept state of screens, restored when the user comes back. */
export type ScreenStates = Map<string, unknown>

/** The key of a screen's kept state. Trails are told apart by the commands that list them. */
export const screenKeyOf = ({ screen, subject = '', organizationId = '', trail }: Route): string =>
  [screen, organizationId, subject, ...(trail ? [pagedCommand(trail)] : [])].join(' ')
