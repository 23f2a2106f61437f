import { type Field, type Fields, flagOf, isSecretValue, placeholderOf } from '../flows/field.ts'
import type { FlowFacts } from '../flows/flow.ts'

/** A column of a CSV file, and the field that it fills. The subject has none. */
export interface CsvColumn {
  readonly name: string
  readonly field?: readonly [name: string, field: Field]
}

export type CsvFlow = Pick<FlowFacts<Fields>, 'fields'> & {
  readonly bulk?: string | undefined
  readonly subject: Pick<Field, 'argument'>
}

/** The columns that a CSV file for this command may have: its arguments and its flags, without secrets. */
export function csvColumns({ subject, fields, bulk }: CsvFlow): readonly CsvColumn[] {
  const columns = Object.entries(fields).map((field): CsvColumn => ({ name: columnOf(field[1]), field }))
  const shown = columns.filter(({ name, field }) => name !== '' && field && !isSecretValue(field[1]))
  return bulk === 'subject' ? [{ name: columnOf(subject) }, ...shown] : shown
}

const columnOf = (named: Pick<Field, 'flag' | 'argument'>): string =>
  named.argument ? placeholderOf(named).toLowerCase() : flagOf(named).replace('--', '')

/** The column that names each input. */
export const inputColumn = (flow: CsvFlow): string =>
  csvColumns(flow).find(({ field }) => field === undefined || field[0] === flow.bulk)?.name ?? ''
