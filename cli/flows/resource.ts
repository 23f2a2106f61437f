import type { Cell } from '../output/cell.ts'
import { fullTime, relativeTime } from '../output/time.ts'
import { type Action, actionOf } from './action.ts'
import type { AskEvents } from './audit/events.ts'
import type { Names } from './audit/names.ts'
import { type Fields, ownFields } from './field.ts'
import type { Flow, Form } from './flow.ts'
import { formOf } from './form.ts'
import type { FlowConnection } from './ports.ts'
import {
  type Detail,
  type Fact,
  propertyOf,
  type ResourceField,
  type ResourceFields,
  type Tone,
} from './resource-fields.ts'

/** A screen that a thing leads to. */
export interface Opening {
  readonly screen: OpenScreen
  readonly subject?: string
  readonly title?: string
  /** The organization that it is in. */
  readonly organizationId?: string
  /** Of the screen `trail`. */
  readonly trail?: Trail
}
export type OpenScreen =
  | 'session'
  | 'key'
  | 'trusts'
  | 'organization'
  | 'team'
  | 'member'
  | 'role'
  | 'user'
  | 'user-sessions'
  | 'trail'

/** Some part of the audit trail, and the command that lists it. */
export interface Trail {
  readonly ask: (connection: Pick<FlowConnection, 'api'>) => AskEvents
  readonly command: string
  /** What its ids stand for. */
  readonly names?: Names
}

/** What can be done at the moment: a line of a menu. */
export type Offer =
  | { readonly kind: 'action'; readonly action: Action }
  | { readonly kind: 'form'; readonly form: () => Form }
  | Look
  | {
      /** One of several, chosen first. */
      readonly kind: 'choice'
      readonly label: string
      /** Above the choices. */
      readonly title: string
      readonly isSearchable?: boolean
      readonly isForOneself: boolean
      readonly disabledReason?: string | undefined
      /** Asked for when it is opened: there may be thousands. */
      readonly options: () => readonly NamedOffer[]
    }

/** Leads to another screen. */
export interface Look {
  readonly kind: 'look'
  readonly label: string
  readonly command: string
  readonly opens: Opening
  readonly disabledReason?: string | undefined
}

interface NamedOffer {
  readonly id: string
  readonly label: string
  readonly offer: Offer
}

type ActIntent = 'create' | 'edit' | 'remove' | 'role' | 'team' | 'trusts' | 'trail'

/** The key that does it on a screen, what it asks for there, and the word for it in the footer. */
type ActKey = readonly [key: string, intent: ActIntent, word: string]

/** Something that is done in a list: with nothing of it, with the selected one, or with all that are marked. */
export interface Act<T, V> {
  readonly about: 'place' | 'one' | 'several'
  /** Only where the one is seen whole, not in its list. */
  readonly isOnlyInDetail?: boolean
  readonly key?: ActKey | undefined
  /** None: it is not there at the moment. */
  readonly offers: (chosen: readonly T[], view: V) => readonly Offer[]
  /** What exactly it is done to, shown with its question; else the lines of the chosen. */
  readonly details?: ((chosen: readonly T[], view: V) => readonly string[]) | undefined
  /** What it was done to is no more. */
  readonly removes?: boolean
}

interface ActOf<T, V, S> extends Pick<Act<T, V>, 'about' | 'details' | 'removes'> {
  readonly key?: ActKey
  readonly subjects: (chosen: readonly T[], view: V) => readonly S[]
  /** Whether it is there at all. */
  readonly when?: (chosen: readonly T[], view: V) => boolean
}

/** A flow as an act: a form where it has fields, an action where it has none. */
export function act<T, V, S, F extends Fields, R extends object>(
  flow: Flow<S, F, NoInfer<V>, R>,
  told: ActOf<T, V, S>,
): Act<T, V> {
  return actSeen(flow, (view) => view, told)
}

/** For a flow whose view is only a part of the resource's. */
export function actSeen<T, V, W, S, F extends Fields, R extends object>(
  flow: Flow<S, F, W, R>,
  seen: (view: V) => W,
  { subjects, when, ...told }: ActOf<T, V, S>,
): Act<T, V> {
  const isForm = ownFields(flow.fields).length > 0
  const offer = (chosen: readonly T[], view: V): Offer => {
    const about = subjects(chosen, view)
    return isForm
      ? { kind: 'form', form: () => formOf(flow, { subjects: about, view: seen(view) }) }
      : { kind: 'action', action: actionOf(flow, about, seen(view)) }
  }
  return { ...told, offers: (chosen, view) => (when && !when(chosen, view) ? [] : [offer(chosen, view)]) }
}

/**
 * A noun, told once: what it is called and holds, how it is found, what can be done with it and what is below it. Its list,
 * its detail, its menus and keys, and its conversation are made from it. T: one of it; V: what it is seen in.
 */
export interface Resource<T extends object, V> {
  /** In the singular. */
  readonly noun: string
  readonly fields: ResourceFields<T, V>
  /** The fields of a list on a screen, what people read first in front. */
  readonly list: readonly string[] | ((view: V) => readonly string[])
  /** The fields of a detail, or what it tells instead. */
  readonly detail: readonly string[] | ((one: T, view: V) => readonly Fact[])
  readonly id: (one: T) => string
  /** What `y` copies; else its id. */
  readonly copies?: { readonly label: string; readonly text: (one: T) => string }
  /** What people call it. */
  readonly label: (one: T, view: V) => string
  /** What tells it apart in one line, shown with a question. */
  readonly line: (one: T, view: V) => string
  /** What a filter looks into; else its line. */
  readonly searched?: (one: T, view: V) => string
  readonly tone?: (one: T, view: V, now: number) => Tone | undefined
  readonly of: (view: V) => readonly T[]
  /** How many there are in all, where these are a part of them. */
  readonly total?: (view: V) => number
  /** Said where there is nothing. */
  readonly empty: string | ((view: V) => string)
  /** In the order of the menus; what is about the place alone stands last there. */
  readonly acts: readonly Act<T, V>[]
  /** The command that shows the selected one, or all where it cannot be shown alone. */
  readonly command: (one: T | undefined, view: V) => string
  /** Its own screen. */
  readonly own?: ((one: T, view: V) => Opening) | undefined
  /** What is in it. */
  readonly below?: ((one: T, view: V) => Look) | undefined
}

export const emptyOf = <T extends object, V>({ empty }: Resource<T, V>, view: V): string =>
  typeof empty === 'string' ? empty : empty(view)

/** What `y` copies of it, and what that is. */
export const copiedOf = <T extends object, V>(
  { noun, id, copies }: Resource<T, V>,
  one: T,
): readonly [string, string] => (copies ? [copies.text(one), copies.label] : [id(one), `the ${noun} id`])

const listedFields = <T extends object, V>({ list }: Resource<T, V>, view: V): readonly string[] =>
  typeof list === 'function' ? list(view) : list

/** `2 members`, or what one is called. */
export const titleOf = <T extends object, V>(
  { noun, label }: Resource<T, V>,
  chosen: readonly T[],
  view: V,
): string => {
  const [first] = chosen
  if (first === undefined) return `No ${noun} selected`
  return chosen.length > 1 ? countOf({ noun }, chosen.length) : label(first, view)
}

/** `1 team`, `3 teams` */
export const countOf = ({ noun }: { readonly noun: string }, count: number): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

export function detailOf<T extends object, V>(resource: Resource<T, V>, one: T, view: V): Detail {
  const { detail } = resource
  const facts = typeof detail === 'function' ? detail(one, view) : factsOf(resource, detail, { one, view })
  return { title: resource.label(one, view), facts }
}

interface Seen<T, V> {
  readonly one: T
  readonly view: V
}

function factsOf<T extends object, V>(
  resource: Resource<T, V>,
  names: readonly string[],
  { one, view }: Seen<T, V>,
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

/** A field of a list: what it is sorted by, and what people see. */
export interface ListColumn<T> {
  readonly title: string
  readonly value: (one: T) => string | number | Date
  readonly shown: (one: T, now: number) => string
}

export const listColumns = <T extends object, V>(resource: Resource<T, V>, view: V): readonly ListColumn<T>[] =>
  listedFields(resource, view).flatMap((name) => {
    const field = resource.fields[name]
    if (!field) return []
    const shown = (one: T, now: number) => field.inList?.(one, view, now) ?? inShort(valueOf(field, name, one), now)
    const value = (one: T) => {
      const held = valueOf(field, name, one)
      if (held instanceof Date) return held
      return field.type?.startsWith('date') ? 0 : shown(one, 0)
    }
    return [{ title: field.title, value, shown }]
  })

const inShort = (value: Cell, now: number): string => text(value, (date) => relativeTime(date, now))
const inFull = (value: Cell, now: number): string => text(value, (date) => fullTime(date, now))

function text(value: Cell, dateText: (date: Date) => string): string {
  if (value === null || value === undefined || value === '') return '-'
  if (value instanceof Date) return dateText(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'object' ? value.join(', ') || '-' : String(value)
}
