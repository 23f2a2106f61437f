import type { Cell, Column } from '../output/cell.ts'
import type { FieldType } from '../output/json.ts'

/** What a text means; a colour never says it alone. */
export type Tone = 'plain' | 'muted' | 'accent' | 'good' | 'warning' | 'danger' | 'picture'

/** One line about a thing. */
export interface Fact {
  readonly label: string
  readonly value: string
  readonly tone?: Tone
}

/** One thing whole: for its own screen, for the pane beside its list, and for a conversation. */
export interface Detail {
  readonly title: string
  readonly facts: readonly Fact[]
  /** Longer texts below them. */
  readonly texts?: readonly { readonly text: string; readonly tone: Tone }[]
}

/** One field of a noun, wherever it is shown. T: the thing; V: what it is seen in. */
export interface ResourceField<T, V = never> extends Pick<Column<T>, 'full' | 'id' | 'whole'> {
  /** In tables, lists and details; empty: nobody names it. */
  readonly title: string
  /** As JSON tells it; without, it is for people alone. */
  readonly type?: FieldType
  /** What it holds; else the property of its name. */
  readonly value?: (one: T) => Cell
  /** In a list on a screen; else the value in short. */
  readonly inList?: (one: T, view: V, now: number) => string
  /** In a detail; else the value in full. Undefined: nothing to say. */
  readonly inDetail?: (one: T, view: V, now: number) => string | undefined
  readonly tone?: (one: T, view: V, now: number) => Tone | undefined
}

export type ResourceFields<T, V = never> = Readonly<Record<string, ResourceField<T, V>>>

/** The fields of a thing as JSON has them, each told: one that is added to J does not compile until it is told here. */
export type FieldsOf<J, T extends object, V = unknown> = ResourceFields<T, V> & {
  readonly [K in keyof J]-?: ResourceField<T, V> & { readonly type: FieldType }
}

/** These fields as columns of a table, or as lines of a sheet. */
export const columnsOf = <T extends object>(
  fields: ResourceFields<T>,
  names: readonly string[],
): readonly Column<T>[] =>
  names.flatMap((name) => {
    const field = fields[name]
    if (!field) return []
    const { title, value, inList: _, inDetail: __, tone: ___, type: ____, ...rest } = field
    return [{ header: title, value: value ?? propertyOf(name), ...rest }]
  })

export const propertyOf =
  (name: string) =>
  (one: object): Cell =>
    Reflect.get(one, name)

/** Those of `all` that are meant by what is shown of them. */
export const sameAs = <T extends { readonly id: string }>(
  all: readonly T[],
  shown: readonly { readonly id: string }[],
): readonly T[] => {
  const ids = new Set(shown.map(({ id }) => id))
  return all.filter(({ id }) => ids.has(id))
}

/** Those that JSON has. */
export const namesOf = (fields: ResourceFields<never>): readonly string[] =>
  Object.keys(fields).filter((name) => fields[name]?.type)

/** `3: Ada, Bob and 1 more`, or nobody. */
export function namesIn(names: readonly string[], most = 8): string {
  if (names.length === 0) return 'nobody'
  const rest = names.length - most
  return `${names.length}: ${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
