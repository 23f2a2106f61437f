import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { type ReadLine, readLines } from '../read-lines.ts'
import { readElements } from './json-elements.ts'

/** One entry of an export, not yet checked, or why it cannot be read. `place`: where it is, for people. */
export interface Entry {
  readonly place: string
  readonly value?: unknown
  readonly problem?: string
  readonly detail?: string
}

const streamOf = (path: string): AsyncIterable<Buffer> => createReadStream(path, { highWaterMark: 262_144 })

/** The elements of a list of a JSON document: of its field `name`, or of the document itself. */
export async function* readList(path: string, name: string): AsyncGenerator<Entry> {
  let count = 0
  for await (const { text, problem } of readElements(streamOf(path), name)) {
    count += 1
    yield parsed(`${name === '' ? 'entry' : name} ${count} of ${basename(path)}`, text, problem)
  }
}

/** The entries of a file that is a JSON list, or has an entry a line. */
export async function* readRecords(path: string): AsyncGenerator<Entry> {
  if (await isList(path)) return yield* readList(path, '')
  for await (const line of readLines(streamOf(path)))
    if (line.text === undefined || line.text.trim() !== '') yield parsed(placeOf(path, line), line.text, line.problem)
}

async function isList(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0)
    return /^\uFEFF?\s*\[/.test(buffer.toString('utf8', 0, bytesRead))
  } finally {
    await file.close()
  }
}

const placeOf = (path: string, { line, last = line }: { readonly line: number; readonly last?: number }): string =>
  `${line === last ? `line ${line}` : `lines ${line} to ${last}`} of ${basename(path)}`

function parsed(place: string, text = '', problem?: string): Entry {
  if (problem !== undefined) return { place, problem }
  try {
    return { place, value: JSON.parse(text) as unknown }
  } catch {
    return { place, problem: 'NOT_JSON' }
  }
}

/** The rows of a CSV file with a header, as objects. An empty field is null, as PostgreSQL writes it. */
export async function* readTable(path: string): AsyncGenerator<Entry> {
  let names: readonly string[] | undefined
  for await (const row of rowsOf(readLines(streamOf(path)))) {
    if (names) {
      if (row.text?.trim() !== '') yield { place: placeOf(path, row), ...entryOf(row, names) }
    } else names = (fieldsOf(row.text) ?? []).map((name) => name.trim())
  }
}

function entryOf({ text, problem, detail }: Row, names: readonly string[]): Omit<Entry, 'place'> {
  if (problem !== undefined) return { problem, ...(detail !== undefined && { detail }) }
  const fields = fieldsOf(text)
  return fields?.length === names.length ? { value: objectOf(names, fields) } : { problem: 'NOT_CSV' }
}

const objectOf = (names: readonly string[], fields: readonly string[]) =>
  Object.fromEntries(names.map((name, index) => [name, fields[index] === '' ? null : fields[index]]))

interface Row {
  readonly line: number
  readonly last: number
  readonly text?: string
  readonly problem?: string
  readonly detail?: string
}

const quotesOf = ({ text = '', quotes }: ReadLine): number => quotes ?? text.split('"').length - 1

/** Lines, together with those that a quoted line break continues. */
async function* rowsOf(lines: AsyncIterable<ReadLine>): AsyncGenerator<Row> {
  let begun: Row | null = null
  let isInQuotes = false
  for await (const line of lines) {
    const next: Row = begun ? joined(begun, line) : { ...line, last: line.line }
    if (quotesOf(line) % 2 === 1) isInQuotes = !isInQuotes
    begun = isInQuotes ? next : null
    if (!begun) yield next
  }
  if (begun)
    yield { line: begun.line, last: begun.last, problem: 'NOT_CSV', detail: 'quotes begin there and never end' }
}

/** A quote that never ends is counted, and not held. */
function joined({ line, ...begun }: Row, { line: last, text, problem }: ReadLine): Row {
  const found = begun.problem ?? problem
  if (found !== undefined) return { line, last, problem: found }
  const whole = `${begun.text ?? ''}\n${text ?? ''}`
  return whole.length > maxRow ? { line, last, problem: 'LINE_TOO_LONG' } : { line, last, text: whole }
}

const maxRow = 1024 * 1024

/** The fields of a row; undefined when it is malformed. Inside quotes, a quote is doubled. */
function fieldsOf(text = ''): readonly string[] | undefined {
  const row = text.replace(/\r$/, '')
  const fields: string[] = []
  const field = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/gy
  for (;;) {
    const found = field.exec(row)
    if (!found) return undefined
    fields.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '')
    if (found[3] === '') return fields
  }
}
