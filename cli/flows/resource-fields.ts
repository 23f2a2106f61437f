import type { Cell, Column } from '../output/cell.ts'
import type { FieldType } from '../output/json.ts'
import { countText } from '../output/words.ts'

/** The meaning of a text. Colour is never the only sign of it. */
export type Tone = 'plain' | 'muted' | 'accent' | 'good' | 'warning' | 'danger' | 'picture'

/** One labelled value of an item. */
export interface Fact {
  readonly label: string
  readonly value: string
  readonly tone?: Tone
}

/** One item in detail: for its screen, for the pane next to its list, and for the conversation. */
export interface Detail {
  /** Of the item. */
  readonly id: string
  readonly title: string
  readonly facts: readonly Fact[]
  /** Longer texts below the facts. */
  readonly texts?: readonly { readonly text: string; readonly tone: Tone }[]
}

/** One field of a resource, wherever it is shown. T: the item; V: the view around it. */
export interface ResourceField<T, V = never> extends Pick<Column<T>, 'full' | 'id' | 'whole'> {
  /** The title in tables, lists and details; empty if none is shown. */
  readonly title: string
  /** The type in JSON; absent if only people see the field. */
  readonly type?: FieldType
  /** The value; default: the property of the same name. */
  readonly value?: (one: T) => Cell
  /** What a list on a screen shows; default: the value. */
  readonly inList?: (one: T, view: V) => string | Date
  /** Whether people know the item by it, so that a list shows it whole before the rest. */
  readonly readFirst?: true
  /** Text in a detail; default: the value in full. Undefined hides it. */
  readonly inDetail?: (one: T, view: V, now: number) => string | undefined
  readonly tone?: (one: T, view: V, now: number) => Tone | undefined
}

export type ResourceFields<T, V = never> = Readonly<Record<string, ResourceField<T, V>>>

/** The fields of an item as in its JSON type J. A property added to J does not compile until it has a field here. */
export type FieldsOf<J, T extends object, V = unknown> = ResourceFields<T, V> & {
  readonly [K in keyof J]-?: ResourceField<T, V> & { readonly type: FieldType }
}

/** Columns of a table or lines of a sheet for these fields. */
export const columnsOf = <T extends object>(
  fields: ResourceFields<T>,
  names: readonly string[] = Object.keys(fields),
): readonly Column<T>[] =>
  names.flatMap((name) => {
    const field = fields[name]
    if (!field) return []
    const { title, value, inList: _, inDetail: __, tone: ___, type: ____, readFirst: _____, ...rest } = field
    return [{ header: title, value: value ?? propertyOf(name), ...rest }]
  })

export const propertyOf =
  (name: string) =>
  (one: object): Cell =>
    Reflect.get(one, name)

/** The items of `all` with the same ids. */
export const withSameIds = <T extends { readonly id: string }>(
  all: readonly T[],
  shown: readonly { readonly id: string }[],
): readonly T[] => {
  const ids = new Set(shown.map(({ id }) => id))
  return all.filter(({ id }) => ids.has(id))
}

/** The names of the fields that JSON has. */
export const jsonFieldNames = (fields: ResourceFields<never>): readonly string[] =>
  Object.keys(fields).filter((name) => fields[name]?.type)

const mostNamed = 8

/** `3: Ada, Bob, Eve`, or `nobody`. Of a long list the last ones are only counted. */
export function nameList(names: readonly string[]): string {
  if (names.length === 0) return 'nobody'
  const rest = names.length - mostNamed
  return `${countText(names.length)}: ${names.slice(0, mostNamed).join(', ')}${rest > 0 ? ` and ${countText(rest)} more` : ''}`
}
