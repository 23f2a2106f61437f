import type { Context } from '../context.ts'
import { pathOf } from '../flows/command-line.ts'
import { type Field, type Fields, type ValuesOf, valueOfText } from '../flows/field.ts'
import { bulkFieldOf, type Flow } from '../flows/flow.ts'
import { usageError } from '../output/cli-error.ts'
import type { BulkInput } from './bulk.ts'
import { nameOfSource, readCsvText } from './bulk-lines.ts'
import type { CsvRow, CsvTable } from './csv.ts'
import { type CsvColumn, csvColumns, inputColumn } from './csv-columns.ts'
import { isNeeded } from './flow-questions.ts'
import { type Argv, type CheckedFlow, type CommandFacts, problemIn } from './ready-line.ts'

/** One of several inputs with its values, without that of the bulk field. Inputs with equal values share the object. */
export interface BulkRow<F extends Fields> extends BulkInput {
  readonly values: ValuesOf<F>
}

/** A CSV file whose columns fit the command. */
interface FittingCsv {
  readonly path: string
  readonly table: CsvTable
  readonly columns: readonly CsvColumn[]
}

/** Reads the file that `--csv` names. Exit 2 for unknown and missing columns. */
export async function readFittingCsv(
  { host }: Pick<Context, 'host'>,
  flow: CommandFacts<Fields>,
  { given, words }: Argv,
  path: string,
): Promise<FittingCsv> {
  const isTypedArgument = ([name, { argument }]: readonly [string, Field]) => argument && isTyped(given[name])
  if (words.length > 0 || Object.entries(flow.fields).some(isTypedArgument))
    throw usageError('--csv and arguments cannot be combined', 'Give every value in a column', ['--csv'])
  const text = await readCsvText(path, host)
  const { readCsv } = await import('./csv.ts')
  const table = withKnownNames(flow, readCsv(text, path))
  return { path, table, columns: checkedColumns(flow, table.columns, { given, path }) }
}

/** The table with each column under the name that the command gives it, so that what a list printed can be read. */
function withKnownNames(flow: CommandFacts<Fields>, { columns, rows }: CsvTable): CsvTable {
  const known = csvColumns(flow)
  const nameOf = (name: string): string =>
    known.some((column) => column.name === name)
      ? name
      : (known.find(({ listedAs }) => listedAs.includes(name))?.name ?? name)
  const renamed = ({ line, cells }: CsvRow): CsvRow => ({
    line,
    cells: Object.fromEntries(Object.entries(cells).map(([name, cell]) => [nameOf(name), cell])),
  })
  return { columns: columns.map(nameOf), rows: rows.map(renamed) }
}

interface Given extends Pick<Argv, 'given'> {
  readonly path: string
}

function checkedColumns(
  flow: CommandFacts<Fields>,
  names: readonly string[],
  { given, path }: Given,
): readonly CsvColumn[] {
  const known = csvColumns(flow)
  const isFlagGiven = ({ field }: CsvColumn) => field !== undefined && isTyped(given[field[0]])
  const unknown = names.filter((name) => !known.some((column) => column.name === name))
  const missing = known.filter(
    (column) => isRequired(flow, column) && !isFlagGiven(column) && !names.includes(column.name),
  )
  const twice = known.filter((column) => isFlagGiven(column) && names.includes(column.name))
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  const problem =
    (unknown.length > 0 && `has unknown columns: ${unknown.map((name) => name || 'one without a name').join(', ')}`) ||
    (repeated.length > 0 && `has a column twice: ${repeated.join(', ')}`) ||
    (missing.length > 0 && `lacks columns: ${missing.map(({ name }) => name).join(', ')}`)
  if (problem) throw usageError(`${nameOfSource(path)} ${problem}`, columnsHint(flow, unknown), ['--csv'])
  if (twice[0]) throw usageError(`${twice[0].name} is a column and a flag: give one of them`, undefined, ['--csv'])
  return known.filter(({ name }) => names.includes(name))
}

/** Commander sets switches and lists that nobody typed. */
const isTyped = (given: Argv['given'][string]): boolean =>
  Array.isArray(given) ? given.length > 0 : given !== undefined && given !== false

/** Whether each row needs a value. */
const isRequired = ({ bulk }: CommandFacts<Fields>, { field }: CsvColumn): boolean =>
  field === undefined || field[0] === bulk || isNeeded(field[1])

function columnsHint(flow: CommandFacts<Fields>, unknown: readonly string[]): string {
  const list = csvColumns(flow).map((column) => (isRequired(flow, column) ? column.name : `${column.name} (optional)`))
  const other = unknown.some((name) => /[;\t]/.test(name)) ? 'Separate the columns by commas. ' : ''
  return `${other}Columns: ${list.join(', ')}`
}

/** The flow without the fields that the file fills: they are neither asked for nor taken from flags. */
export function withoutColumns<S, F extends Fields, V, R extends object>(
  flow: Flow<S, F, V, R>,
  { columns }: FittingCsv,
): Flow<S, F, V, R> {
  const { bulk: _, check: __, ...rest } = flow
  const filled = new Set(columns.map(({ field }) => field?.[0]))
  const fields: Fields = Object.fromEntries(Object.entries(flow.fields).filter(([name]) => !filled.has(name)))
  const { argument: ___, ...subject } = flow.subject
  return { ...rest, fields: fields as F, subject }
}

/** The rows of the file with all their values. Exit 2 with the lines that are wrong, before anything is sent. */
export async function rowsOfCsv<F extends Fields>(
  flow: CheckedFlow<F>,
  { path, table, columns }: FittingCsv,
  values: ValuesOf<F>,
): Promise<readonly BulkRow<F>[]> {
  const shared = new Map<string, ValuesOf<F>>()
  const read = (row: CsvRow): BulkRow<F> => {
    const others = Object.fromEntries(columns.flatMap((column) => valueIn(flow, column, row)))
    const key = JSON.stringify(others)
    const all = shared.get(key) ?? ({ ...values, ...others } as ValuesOf<F>)
    shared.set(key, all)
    return { input: row.cells[inputColumn(flow)] ?? '', line: row.line, values: all }
  }
  const rows = table.rows.map(read)
  const problems = rows.flatMap((row) => problemsOf(flow, row))
  if (problems.length === 0) return rows
  const { wrongLines } = await import('./csv.ts')
  throw wrongLines(path, problems, `${pathOf(flow.command)} --help`)
}

function valueIn(flow: CommandFacts<Fields>, { name, field }: CsvColumn, { cells }: CsvRow) {
  const cell = cells[name] ?? ''
  if (!field || field[0] === flow.bulk) return []
  if (cell === '' && field[1].isOptional) return []
  // Any other text stays as it is, and is refused below.
  if (field[1].kind === 'toggle') return [[field[0], switches[cell.toLowerCase()] ?? cell] as const]
  return [[field[0], (field[1].kind === 'list' && listOf(cell)) || valueOfText(field[1], cell)] as const]
}

/** A list whose words contain commas is printed as JSON. */
function listOf(cell: string): readonly string[] | undefined {
  if (!cell.startsWith('[')) return undefined
  try {
    const value: unknown = JSON.parse(cell)
    return Array.isArray(value) && value.every((word) => typeof word === 'string') ? value : undefined
  } catch {
    return undefined
  }
}

const switches: Readonly<Record<string, boolean>> = { '': false, yes: true, true: true, no: false, false: false }

function problemsOf<F extends Fields>(
  flow: CheckedFlow<F>,
  { input, line = 0, values }: BulkRow<F>,
): readonly string[] {
  const all: Readonly<Record<string, unknown>> = { ...values, [bulkFieldOf(flow) ?? '']: input }
  const together: Readonly<Record<string, string | undefined>> = flow.check?.(all as Partial<ValuesOf<F>>, []) ?? {}
  return csvColumns(flow).flatMap(({ name, field }) => {
    const problem = field
      ? (together[field[0]] ?? cellProblem(field[1], all[field[0]], name))
      : input === '' && 'a value is needed'
    return problem ? [`line ${line}, ${name}: ${problem}`] : []
  })
}

function cellProblem(field: Field, value: unknown, name: string): string | undefined {
  if (field.kind === 'choice' && field.values && typeof value === 'string' && !field.values.includes(value))
    return `one of ${field.values.join(', ')}`
  return problemIn(field, value, name)
}
