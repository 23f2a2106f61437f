import type { Flags } from '../argv/flags.ts'
import { usageError } from './cli-error.ts'

/** What became of the resource of a change. `planned`: it would change, were it not for --dry-run. */
export const changeStatuses = ['created', 'updated', 'deleted', 'unchanged', 'planned'] as const
export type ChangeStatus = (typeof changeStatuses)[number]

/** The type of a field: `date` is ISO 8601 UTC text, and `?` marks fields that can be null. */
export type FieldType = 'text' | 'text?' | 'number' | 'number?' | 'flag' | 'flag?' | 'date' | 'date?' | 'list' | 'any'
/** The fields of an answer. A field without a type is only for people. */
export type AnswerFields = Readonly<Record<string, FieldType | { readonly title: string; readonly type?: FieldType }>>
/** The same fields, as help and schemas need them. */
export type AnswerTypes = Readonly<Record<string, FieldType>>

export const answerTypesOf = (fields: AnswerFields): AnswerTypes =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const type = typeof field === 'string' ? field : field.type
      return type ? [[name, type]] : []
    }),
  )

/** The names in `--json=a,b` or `--columns a,b`, checked; undefined means all fields. */
export function selectionOf({ json, columns }: Flags, fields: AnswerTypes): readonly string[] | undefined {
  if (json && columns !== undefined)
    throw usageError('--json=… and --columns both select fields', 'Name them once', ['--json', '--columns'])
  return columns === undefined
    ? parseSelection(json ?? '', fields, '--json')
    : parseSelection(columns, fields, '--columns')
}

function parseSelection(text: string, fields: AnswerTypes, flag: string): readonly string[] | undefined {
  const names = text.split(',').map((name) => name.trim())
  if (text === '') return undefined
  const unknown = names.filter((name) => !Object.hasOwn(fields, name))
  if (unknown.length === 0) return names
  const known = Object.keys(fields).join(', ')
  throw usageError(
    `Unknown field for ${flag}: ${unknown.join(', ')}`,
    known ? `Fields: ${known}` : 'This command has no fields to select',
    [flag],
  )
}

/** The named fields of a record, with null for missing ones. The whole record if no names are given. */
export const pickFields = (record: object, names: readonly string[]): object =>
  names.length > 0 ? Object.fromEntries(names.map((name) => [name, Reflect.get(record, name) ?? null])) : record
