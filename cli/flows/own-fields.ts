import type { OwnValues } from '../../shared/own-fields.ts'

interface Owner {
  readonly fields: OwnValues
}

/** `company=Acme, plan=pro`: the fields that have a value. Undefined for none. */
const textOf = ({ fields }: Owner): string | undefined =>
  Object.entries(withoutNulls(fields))
    .map(([name, value]) => `${name}=${wordOf(value)}`)
    .join(', ') || undefined

/** A value as a command takes it. */
export const wordOf = (value: unknown): string =>
  typeof value === 'string' ? value : (value ?? null) === null ? '' : JSON.stringify(value)

export const withoutNulls = (fields: OwnValues): OwnValues =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

/** The fields that the application gave a user or an organization. */
export const ownFieldsField = { title: 'Fields', type: 'any', value: textOf, inDetail: textOf } as const

/** Their values in a command. Only the service knows which fields there are and what kind each is. */
export const ownFieldsFlag = {
  kind: 'list',
  label: 'Fields',
  flag: '--field <name=value...>',
  summary: 'fields that the application added, like company=Acme; an empty value removes one',
  key: 'fields',
  isOptional: true,
  isWhole: true,
  onlyInCommands: true,
  check: (text: string, name: string) =>
    text === '' || /^\w+=/.test(text) ? undefined : `${name} takes a name and a value, like company=Acme`,
} as const

/** Nothing when none are given. */
export const ownValuesIn = (
  given: readonly string[] | undefined,
): { readonly fields?: Record<string, string | null> } =>
  given && given.length > 0 ? { fields: Object.fromEntries(given.map(pairOf)) } : {}

function pairOf(text: string): readonly [string, string | null] {
  const at = text.indexOf('=')
  return [text.slice(0, at), text.slice(at + 1) || null]
}

/** The present values of the fields that a change gave, as that change takes them. */
export const ownWordsOf = ({ fields }: Owner, given: readonly string[] = []): readonly string[] =>
  given.map((text) => pairOf(text)[0]).map((name) => `${name}=${wordOf(fields[name])}`)

/** The name of an own field in forms. The names of our fields have no space. */
export const formName = (name: string): string => `field ${name}`
