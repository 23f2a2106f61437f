import { usageError } from './cli-error.ts'

/** The type of a field: `date` is ISO 8601 UTC text, and `?` marks fields that can be null. */
export type FieldType = 'text' | 'text?' | 'number' | 'number?' | 'flag' | 'flag?' | 'date' | 'date?' | 'list' | 'any'
/** The fields of an answer. A field without a type is only for people. */
export type AnswerFields = Readonly<Record<string, FieldType | { readonly title: string; readonly type?: FieldType }>>
/** The same fields, as help and schemas need them. */
export type AnswerTypes = Readonly<Record<string, FieldType>>

export const typesOf = (fields: AnswerFields): AnswerTypes =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const type = typeof field === 'string' ? field : field.type
      return type ? [[name, type]] : []
    }),
  )

// C1, DEL, bidi, zero-width characters, separators and tags: JSON.stringify leaves them, but a terminal would act on or
// hide them.
export const unsafeCharacters = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** JSON that is safe to print: characters that a terminal would act on are escaped. */
export const jsonText = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, undefined, indent) ?? 'null').replaceAll(unsafeCharacters, escaped)

const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** Parses and checks the names of `--json=a,b`; undefined means all fields. */
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

/** These fields of a record, absent ones as null; the whole record if no names are given. */
export const pickFields = (record: object, names: readonly string[]): object =>
  names.length > 0 ? Object.fromEntries(names.map((name) => [name, Reflect.get(record, name) ?? null])) : record
