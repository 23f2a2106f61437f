import { CsvError, type Info, parse } from 'csv-parse/sync'
import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError, usageError } from '../output/cli-error.ts'
import { textOfCsv } from '../output/rows.ts'
import { countText } from '../output/words.ts'
import { maxLines, nameOfSource, splitCsv, tooLong } from './bulk-lines.ts'

/** A row: its first line in the file, and its cells by column. */
export interface CsvRow {
  readonly line: number
  readonly cells: Readonly<Record<string, string>>
}

export interface CsvTable {
  readonly columns: readonly string[]
  readonly rows: readonly CsvRow[]
}

type Parsed = readonly { readonly record: readonly string[]; readonly info: Pick<Info, 'lines'> }[]

/** Comma-separated values with a header (RFC 4180). A byte order mark and any line endings are accepted. */
export function readCsv(text: string, path: string): CsvTable {
  const source = nameOfSource(path)
  const [header, ...records] = parsed(text, source)
  if (!header) throw usageError(`${source} is empty`, 'Its first line has to name the columns', ['--csv'])
  if (records.length > maxLines) throw tooLong(source, splitCsv)
  const columns = header.record.map((name) => name.trim())
  const rows = records.map(({ record, info }) => ({
    line: info.lines - record.join('').split('\n').length + 1,
    cells: Object.fromEntries(columns.map((name, index) => [name, textOfCsv(record[index]?.trim() ?? '')])),
  }))
  return { columns, rows: rows.filter(({ cells }) => Object.values(cells).some(Boolean)) }
}

function parsed(text: string, source: string): Parsed {
  try {
    const record_delimiter = ['\r\n', '\n', '\r']
    // The types do not know that `info` changes the answer.
    const records: unknown = parse(text, { bom: true, info: true, skip_empty_lines: true, record_delimiter })
    return records as Parsed
  } catch (error) {
    if (error instanceof CsvError) throw csvError(`${source}, line ${lineOf(error)}: ${problemOf(error)}`)
    throw error
  }
}

const lineOf = (error: CsvError): number => Number(Reflect.get(error, 'lines'))

const problems: Readonly<Record<string, string>> = {
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: 'it has more or fewer values than the header has columns',
  CSV_QUOTE_NOT_CLOSED: 'a quoted value has no closing quote',
  CSV_INVALID_CLOSING_QUOTE: 'there is text after a closing quote',
  INVALID_OPENING_QUOTE: 'there is a quote inside a value that is not quoted',
}

const problemOf = ({ code, message }: CsvError): string => problems[code] ?? message

const quoting = 'A value that contains a comma, a quote or a line break stands in quotes; quotes inside are doubled'

const csvError = (message: string): CliError => usageError(message, quoting, ['--csv'])

/** Names the first wrong lines. Nothing was sent. */
export function wrongLines(path: string, problems: readonly string[], hint: string): CliError {
  const [shown, rest] = [problems.slice(0, most), problems.length - most]
  const count = problems.length === 1 ? 'A line' : `${countText(problems.length)} lines`
  return new CliError(exitCodes.usage, `${count} of ${nameOfSource(path)} cannot be used: nothing was sent`, {
    code: 'USAGE',
    details: rest > 0 ? [...shown, `and ${rest} more`] : shown,
    hint,
    fields: ['--csv'],
  })
}

const most = 10
