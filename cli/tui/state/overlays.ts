import type { Texts } from '../../flows/flow.ts'
import type { BrowserTask } from '../../flows/waiting.ts'
import type { Intent, KeyScope } from '../keys/names.ts'
import type { ShownError } from '../text/shown-error.ts'

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
