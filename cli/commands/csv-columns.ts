import { type Field, type Fields, flagOf, isSecretValue, placeholderOf } from '../flows/field.ts'
import type { FlowFacts } from '../flows/flow.ts'
import type { AnswerFields } from '../output/json.ts'

/** A column of a CSV file, and the field that it fills. The subject has none. */
export interface CsvColumn {
  readonly name: string
  readonly field?: readonly [name: string, field: Field]
  /** Its names in what a list prints, which a file may have as well. */
  readonly listedAs: readonly string[]
}

export type CsvFlow = Pick<FlowFacts<Fields>, 'fields'> & {
  readonly answer?: AnswerFields
  readonly bulk?: string | undefined
  readonly subject: Pick<Field, 'argument'>
}

/** The columns that a CSV file for this command may have: its arguments and its flags, without secrets. */
export function csvColumns({ subject, fields, bulk, answer = {} }: CsvFlow): readonly CsvColumn[] {
  const columns = Object.entries(fields).map(
    (field): CsvColumn => ({ name: columnOf(field[1]), field, listedAs: [field[0]] }),
  )
  const shown = columns.filter(({ name, field }) => name !== '' && field && !isSecretValue(field[1]))
  if (bulk !== 'subject') return shown
  const listedAs = ['id', 'email'].filter((name) => name in answer && !(name in fields))
  return [{ name: columnOf(subject), listedAs }, ...shown]
}

const columnOf = (named: Pick<Field, 'flag' | 'argument'>): string =>
  named.argument ? placeholderOf(named).toLowerCase() : flagOf(named).replace('--', '')

export const inputColumn = (flow: CsvFlow): string =>
  csvColumns(flow).find(({ field }) => field === undefined || field[0] === flow.bulk)?.name ?? ''
