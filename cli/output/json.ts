import { usageError } from './cli-error.ts'

/** What a field holds: `date` is ISO 8601 UTC text, `?` marks fields that can be null. */
export type FieldType = 'text' | 'text?' | 'number' | 'number?' | 'flag' | 'flag?' | 'date' | 'date?' | 'list' | 'any'
/** The fields of an answer; one without a type is for people alone. */
export type AnswerFields = Readonly<Record<string, FieldType | { readonly title: string; readonly type?: FieldType }>>
/** The same, as help and schemas have them. */
export type AnswerTypes = Readonly<Record<string, FieldType>>

export const typesOf = (fields: AnswerFields): AnswerTypes =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const type = typeof field === 'string' ? field : field.type
      return type ? [[name, type]] : []
    }),
  )

// C1, DEL, bidi, zero-width, separators and tags: JSON.stringify leaves them as they are, a terminal would obey or hide them.
export const unsafe = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** JSON that is safe to show in a terminal: what a terminal could obey is escaped. */
export const jsonText = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, undefined, indent) ?? 'null').replaceAll(unsafe, escaped)

const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** The names given to `--json=a,b`, checked; undefined means all of them. */
export function parseSelection(text: string, fields: AnswerTypes): readonly string[] | undefined {
  const names = text.split(',').map((name) => name.trim())
  if (text === '') return undefined
  const unknown = names.filter((name) => !Object.hasOwn(fields, name))
  if (unknown.length === 0) return names
  const known = Object.keys(fields).join(', ')
  throw usageError(
    `Unknown field for --json: ${unknown.join(', ')}`,
    known ? `Fields: ${known}` : 'This command has no fields to select',
    ['--json'],
  )
}

/** These fields of a record, absent ones as null; without any, the record as it is. */
export const pickFields = (record: object, names: readonly string[]): object =>
  names.length > 0 ? Object.fromEntries(names.map((name) => [name, Reflect.get(record, name) ?? null])) : record
