import type { AuditEventView } from '../../shared/audit.ts'
import type { Cell } from '../output/cell.ts'
import { fullTime } from '../output/time.ts'
import { countText } from '../output/words.ts'
import { type Action, actionOf } from './action.ts'
import type { Trail } from './audit/trail.ts'
import { type Fields, formFields } from './field.ts'
import type { Flow, Form } from './flow.ts'
import { formOf } from './form.ts'
import type { Paged } from './paged.ts'
import {
  type Detail,
  type Fact,
  propertyOf,
  type ResourceField,
  type ResourceFields,
  type Tone,
} from './resource-fields.ts'

export interface ScreenTarget {
  readonly screen: OpenScreen
  readonly subject?: string
  readonly title?: string
  /** The organization that contains the subject. */
  readonly organizationId?: string
  /** Only for the screen `trail`. */
  readonly trail?: Trail
  /** Only for the screen `event`. */
  readonly event?: AuditEventView
}
export type OpenScreen =
  | 'session'
  | 'key'
  | 'trusts'
  | 'webhooks'
  | 'webhook'
  | 'organization'
  | 'team'
  | 'member'
  | 'unseen'
  | 'role'
  | 'user'
  | 'user-sessions'
  | 'mails'
  | 'trail'
  | 'event'

/** An available action, as a menu entry. */
export type Offer =
  | { readonly kind: 'action'; readonly action: Action }
  | { readonly kind: 'form'; readonly form: () => Form }
  | ReadFacts
  | {
      /** Choose one of several first. */
      readonly kind: 'choice'
      readonly label: string
      /** Title above the options. */
      readonly title: string
      readonly isSearchable?: boolean
      readonly isForOneself: boolean
      readonly disabledReason?: string | undefined
      /** Loaded when the choice is opened: there can be thousands, or the service has to be asked. */
      readonly options: () => readonly NamedOffer[] | Promise<readonly NamedOffer[]>
    }

/** Opens another screen. */
export interface ReadFacts {
  readonly kind: 'look'
  readonly label: string
  readonly command: string
  readonly opens: ScreenTarget
  readonly disabledReason?: string | undefined
}

export interface NamedOffer {
  readonly id: string
  readonly label: string
  readonly offer: Offer
}

type ActIntent = 'create' | 'edit' | 'remove' | 'role' | 'team' | 'trusts' | 'trail' | 'webhooks' | 'pause' | 'test'

/** The key on a screen, what it is meant to do there, and its word in the footer. */
export type ActKey = readonly [key: string, intent: ActIntent, word: string]

/** An action in a list: about the list as a whole, the selected item, or all marked items. */
export interface Act<T, V> {
  readonly about: 'place' | 'one' | 'several'
  /** Only in the detail of an item, not in the list. */
  readonly isOnlyInDetail?: boolean
  readonly key?: ActKey | undefined
  /** Empty if it is not available at the moment. */
  readonly offers: (chosen: readonly T[], view: V) => readonly Offer[]
  /** What it applies to, shown with the question. Default: the lines of the chosen items. */
  readonly details?: ((chosen: readonly T[], view: V) => readonly string[]) | undefined
  /** Removes the items it applies to. */
  readonly removes?: boolean
}

interface ActOf<T, V, S> extends Pick<Act<T, V>, 'about' | 'details' | 'removes'> {
  readonly key?: ActKey
  readonly subjects: (chosen: readonly T[], view: V) => readonly S[]
  /** Whether it is offered at all. */
  readonly when?: (chosen: readonly T[], view: V) => boolean
}

/** Makes an act from a flow: a form if the flow has fields, otherwise an action. */
export function act<T, V, S, F extends Fields, R extends object>(
  flow: Flow<S, F, NoInfer<V>, R>,
  told: ActOf<T, V, S>,
): Act<T, V> {
  return actWithView(flow, (view) => view, told)
}

/** For flows that need only part of the resource's view. */
export function actWithView<T, V, W, S, F extends Fields, R extends object>(
  flow: Flow<S, F, W, R>,
  seen: (view: V) => W,
  { subjects, when, ...told }: ActOf<T, V, S>,
): Act<T, V> {
  const isForm = formFields(flow.fields).length > 0
  const offer = (chosen: readonly T[], view: V): Offer => {
    const about = subjects(chosen, view)
    return isForm
      ? { kind: 'form', form: () => formOf(flow, { subjects: about, view: seen(view) }) }
      : { kind: 'action', action: actionOf(flow, about, seen(view)) }
  }
  return { ...told, offers: (chosen, view) => (when && !when(chosen, view) ? [] : [offer(chosen, view)]) }
}

/**
 * A resource defined once: its names and fields, how it is found, its actions and what is below it. Its list, detail,
 * menus, keys and conversation are derived from it. T: the item; V: the view around it.
 */
export interface Resource<T extends object, V> {
  /** Name in the singular. */
  readonly noun: string
  readonly fields: ResourceFields<T, V>
  /** The fields of its list on a screen, most important first. */
  readonly list: readonly string[] | ((view: V) => readonly string[])
  /** The fields of its detail, or facts in their place. */
  readonly detail: readonly string[] | ((one: T, view: V) => readonly Fact[])
  readonly id: (one: T) => string
  /** What `y` copies; default: the id. */
  readonly copies?: { readonly label: string; readonly text: (one: T) => string }
  /** Its name for people. */
  readonly label: (one: T, view: V) => string
  /** One line that identifies it, shown with questions. */
  readonly line: (one: T, view: V) => string
  /** The text that a filter searches; default: its line. */
  readonly searched?: (one: T, view: V) => string
  readonly tone?: (one: T, view: V, now: number) => Tone | undefined
  readonly of: (view: V) => readonly T[]
  /** The total number, if the list has only a part. */
  readonly total?: (view: V) => number
  /** How the service narrows it and gives it page by page, if it can be too long for one answer. */
  readonly paged?: Paged<object>
  /** Shown when there is no data. `create`: the key of the action that creates one. */
  readonly empty: string | ((view: V, create: string) => string)
  /** In menu order; actions about the list as a whole come last there. */
  readonly acts: readonly Act<T, V>[]
  /** The command that shows the selected item, or the list if there is none for one item. */
  readonly command: (one: T | undefined, view: V) => string
  readonly own?: ((one: T, view: V) => ScreenTarget) | undefined
  /** What it contains. */
  readonly below?: ((one: T, view: V) => ReadFacts) | undefined
}

export const emptyOf = <T extends object, V>({ empty }: Resource<T, V>, view: V, create: string): string =>
  typeof empty === 'string' ? empty : empty(view, create)

/** The text that `y` copies, and its name. */
export const copiedOf = <T extends object, V>(
  { noun, id, copies }: Resource<T, V>,
  one: T,
): readonly [string, string] => (copies ? [copies.text(one), copies.label] : [id(one), `the ${noun} id`])

const listedFields = <T extends object, V>({ list }: Resource<T, V>, view: V): readonly string[] =>
  typeof list === 'function' ? list(view) : list

/** `2 members`, the name of one, or `Members` if none is chosen. */
export const titleOf = <T extends object, V>(
  { noun, label }: Resource<T, V>,
  chosen: readonly T[],
  view: V,
): string => {
  const [first] = chosen
  if (first === undefined) return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}s`
  return chosen.length > 1 ? countOf({ noun }, chosen.length) : label(first, view)
}

/** `1 team`, `3 teams` */
export const countOf = ({ noun }: { readonly noun: string }, count: number): string =>
  `${countText(count)} ${noun}${count === 1 ? '' : 's'}`

export function detailOf<T extends object, V>(resource: Resource<T, V>, one: T, view: V): Detail {
  const { detail } = resource
  const facts = typeof detail === 'function' ? detail(one, view) : factsOf(resource, detail, { one, view })
  return { id: resource.id(one), title: resource.label(one, view), facts }
}

export interface ViewedItem<T, V> {
  readonly one: T
  readonly view: V
}

function factsOf<T extends object, V>(
  resource: Resource<T, V>,
  names: readonly string[],
  { one, view }: ViewedItem<T, V>,
): readonly Fact[] {
  const now = Date.now()
  return names.flatMap((name) => {
    const field = resource.fields[name]
    const value = field && (field.inDetail ? field.inDetail(one, view, now) : inFull(valueOf(field, name, one), now))
    if (!field || value === undefined) return []
    const tone = field.tone?.(one, view, now)
    return [{ label: field.title, value, ...(tone && { tone }) }]
  })
}

const valueOf = <T extends object, V>(field: ResourceField<T, V>, name: string, one: T): Cell =>
  (field.value ?? propertyOf(name))(one)

/** A column of a list: its sort key and its text. */
export interface ListColumn<T> {
  readonly title: string
  readonly readFirst?: boolean
  readonly value: (one: T) => string | number | Date
  readonly shown: (one: T, timeText: (date: Date) => string) => string
}

export const listColumns = <T extends object, V>(resource: Resource<T, V>, view: V): readonly ListColumn<T>[] =>
  listedFields(resource, view).flatMap((name) => {
    const field = resource.fields[name]
    if (!field) return []
    const shown: ListColumn<T>['shown'] = (one, timeText) => {
      const cell = field.inList ? field.inList(one, view) : valueOf(field, name, one)
      // A column without a title marks what is unusual: a dash there would say nothing.
      return cell === '' && field.title === '' ? '' : text(cell, timeText)
    }
    const value = (one: T) => {
      const held = valueOf(field, name, one)
      if (held instanceof Date) return held
      return field.type?.startsWith('date') ? 0 : shown(one, String)
    }
    return [{ title: field.title, readFirst: field.readFirst ?? false, value, shown }]
  })

const inFull = (value: Cell, now: number): string => text(value, (date) => fullTime(date, now))

function text(value: Cell, dateText: (date: Date) => string): string {
  if (value === null || value === undefined || value === '') return '-'
  if (value instanceof Date) return dateText(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'object' ? value.join(', ') || '-' : String(value)
}
