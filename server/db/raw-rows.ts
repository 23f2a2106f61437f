import type postgres from 'postgres'
import { type AnswerField, RawList } from '../request/raw-list.ts'
import { bytesOf, JsonBytes } from './json-bytes.ts'
import type { Statement } from './statement.ts'

/** A row as it came; its first column begins at `at`. */
interface RawRow {
  readonly bytes: Buffer
  readonly at: number
}

interface Column {
  readonly name: string
  readonly type: number
  /** None for text. That of a list does not take its first bracket. */
  readonly parser?: ((text: string) => unknown) & { readonly array?: true }
}

type Columns = readonly Column[]

/** Sends a statement whose rows are only passed on. */
export async function rawRows<Row extends object>(statement: postgres.PendingQuery<Row[]>): Promise<RawList<Row>> {
  const answer = await (statement as unknown as Statement).executeRaw()
  const { columns } = answer as { readonly columns: Columns }
  return new RawRows<Row>(answer as readonly RawRow[], columns)
}

class RawRows<Row extends object> extends RawList<Row> {
  readonly #rows: readonly RawRow[]
  readonly #columns: Columns

  constructor(rows: readonly RawRow[], columns: Columns) {
    super()
    this.#rows = rows
    this.#columns = columns
  }

  get length(): number {
    return this.#rows.length
  }

  slice(start: number, end: number): RawRows<Row> {
    if (start === 0 && end >= this.length) return this
    return new RawRows(this.#rows.slice(start, end), this.#columns)
  }

  last<Name extends keyof Row & string>(name: Name): Row[Name] | undefined {
    const row = this.#rows.at(-1)
    const index = this.#columns.findLastIndex((column) => column.name === name)
    const column = this.#columns[index]
    if (!row || !column) return undefined
    findValues(row, index + 1)
    return readValue(column, row.bytes, index) as Row[Name]
  }

  map<T>(change: (row: Row) => T): T[] {
    return this.#rows.map((row) => change(this.#read(row)))
  }

  filter(isKept: (row: Row) => boolean): RawRows<Row> {
    const kept = this.#rows.filter((row) => isKept(this.#read(row)))
    return new RawRows(kept, this.#columns)
  }

  toJson(fields: readonly AnswerField[]): string {
    const writers = writersOf(fields, this.#columns)
    json.cut(0)
    for (const row of this.#rows) {
      json.copy(marks.comma)
      writeRow(row, writers, this.#columns.length)
    }
    if (json.length === 0) return '[]'
    json.replace(0, bracket)
    json.copy(marks.end)
    return json.take()
  }

  #read(row: RawRow): Row {
    findValues(row, this.#columns.length)
    const values = this.#columns.map((column, index) => [column.name, readValue(column, row.bytes, index)])
    return Object.fromEntries(values) as Row
  }
}

const json = new JsonBytes()
/** They replace the comma before the first row, and before the first field of a row. */
const [bracket, brace] = [0x5b, 0x7b] as const
const marks = { comma: bytesOf(','), end: bytesOf(']'), null: bytesOf('null') }
const rowEnds = { some: bytesOf('}'), none: bytesOf('{}') }

/** Where the values of the row at hand begin and end, by column. A null ends before it begins. */
const places = { starts: new Array<number>(), ends: new Array<number>() }

function findValues({ bytes, at }: RawRow, count: number): void {
  let start = at + 4
  for (let n = 0; n < count; n += 1) {
    const length = bytes.readInt32BE(start - 4)
    places.starts[n] = start
    places.ends[n] = start + length
    start += Math.max(length, 0) + 4
  }
}

function readValue({ parser }: Column, bytes: Buffer, index: number): unknown {
  const start = places.starts[index] ?? 0
  const end = places.ends[index] ?? 0
  if (end < start) return null
  const text = bytes.toString('utf8', parser?.array ? start + 1 : start, end)
  return parser ? parser(text) : text
}

interface Writer {
  readonly field: AnswerField
  readonly column: Column
  readonly index: number
  /** Its name in the answer, after a comma. */
  readonly key: Uint8Array
  /** Writes a value that needs not be read, or gives false. */
  readonly write: (bytes: Uint8Array, start: number, end: number) => boolean
}

function writeRow(row: RawRow, writers: readonly Writer[], count: number): void {
  const first = json.length
  findValues(row, count)
  for (const writer of writers) writeField(writer, row.bytes)
  if (json.length === first) json.copy(rowEnds.none)
  else {
    json.replace(first, brace)
    json.copy(rowEnds.some)
  }
}

function writeField(writer: Writer, bytes: Buffer): void {
  const { field, index, key, write } = writer
  const before = json.length
  const start = places.starts[index] ?? 0
  const end = places.ends[index] ?? 0
  json.copy(key)
  if (end < start && field.form === 'same') json.copy(marks.null)
  else if (end < start || !write(bytes, start, end)) {
    json.cut(before)
    writeEncoded(writer, bytes)
  }
}

/** As the value would be written if the row had been read. */
function writeEncoded({ field, column, index, key }: Writer, bytes: Buffer): void {
  const text = JSON.stringify(field.encode(readValue(column, bytes, index)))
  if (text === undefined) return
  if (field.form !== 'members') {
    json.copy(key)
    json.copy(bytesOf(text))
  } else if (text.length > 2) {
    json.copy(marks.comma)
    json.copy(bytesOf(text.slice(1, -1)))
  }
}

const known = new WeakMap<Columns, WeakMap<readonly AnswerField[], readonly Writer[]>>()

/** Made once for each prepared statement and answer, and for each answer of a statement that is not prepared. */
function writersOf(fields: readonly AnswerField[], columns: Columns): readonly Writer[] {
  const ofColumns = known.get(columns) ?? new WeakMap<readonly AnswerField[], readonly Writer[]>()
  const made = ofColumns.get(fields)
  if (made) return made
  const writers = makeWriters(fields, columns)
  known.set(columns, ofColumns.set(fields, writers))
  return writers
}

/** A field without a column is absent. */
const makeWriters = (fields: readonly AnswerField[], columns: Columns): readonly Writer[] =>
  fields.flatMap((field) => {
    const index = columns.findLastIndex(({ name }) => name === field.name)
    const column = columns[index]
    const key = bytesOf(`,${JSON.stringify(field.name)}:`)
    return column ? [{ field, column, index, key, write: writeOf(field, column) }] : []
  })

const types = { boolean: 16, integers: [21, 23, 26], textArray: 1009, timestamp: 1184 }

const writeText: Writer['write'] = (bytes, start, end) => json.text(bytes, start, end)
const writeBoolean: Writer['write'] = (bytes, start) => json.boolean(bytes, start)
const writeInteger: Writer['write'] = (bytes, start, end) => json.copy(bytes, start, end)
const writeDate: Writer['write'] = (bytes, start, end) => json.date(bytes, start, end)
const writeArray: Writer['write'] = (bytes, start, end) => json.array(bytes, start, end)
const writeJoined: Writer['write'] = (bytes, start, end) => json.joined(bytes, start, end)
const writeNothing: Writer['write'] = () => false

function writeOf({ form }: AnswerField, { type, parser }: Column): Writer['write'] {
  if (form === 'date' && type === types.timestamp) return writeDate
  if (form === 'names' && type === types.textArray) return writeJoined
  if (form !== 'same') return writeNothing
  if (!parser) return writeText
  if (type === types.boolean) return writeBoolean
  if (types.integers.includes(type)) return writeInteger
  return type === types.textArray ? writeArray : writeNothing
}
