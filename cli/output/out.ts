import type { Cell, Column } from './cell.ts'
import type { Paint } from './colour.ts'
import { escapeControls } from './escape-controls.ts'
import { type ChangeStatus, pickFields } from './json.ts'
import { hangingProse } from './prose.ts'
import { cellOf, rowText } from './rows.ts'
import type { PageFormat } from './table.ts'

/**
 * The reader of stdout: a person at a terminal, the next program of a pipe, a parser of one document, of a document a
 * line, or of rows under a header, or a loop over ids.
 */
export type OutputMode = 'people' | 'programs' | 'document' | 'ndjson' | 'csv' | 'tsv' | 'ids'

export interface OutputStyle {
  readonly mode: OutputMode
  /**
   * An item's fields for parsers: those selected by `--json=a,b` or `--columns`, otherwise all in its schema. Missing
   * values become null. With an empty list the item is printed as it is.
   */
  readonly fields: readonly string[]
  /** The fields that a table shows in place of its own columns. */
  readonly columns: readonly string[] | undefined
  readonly page: PageFormat
  readonly hasColor: boolean
  /** The lines of a document: JSON, YAML, or what a template or a program makes of it. */
  readonly document: (value: unknown) => readonly string[]
  /** Columns for notes on stderr; infinite if no person reads them. */
  readonly notesWidth: number
  /** Paints notes on stderr, which can be a log while stdout is a terminal. */
  readonly notesPaint: Paint
}

interface Change {
  readonly status: ChangeStatus
  readonly resource: object
  /** Shown only once; in one-line modes it is the result. */
  readonly secret?: string | undefined
  /** A secret was asked for, but there is none to show: programs other than JSON parsers get nothing. */
  readonly lacksSecret?: boolean | undefined
}

interface ListOptions {
  /** Shown to people on stderr if there is nothing. */
  readonly empty: string
  /** The value that `--quiet` prints; default: the item's `id`. */
  readonly id?: string
  /** Set if this is part of a longer list: the total and the command for the next part. */
  readonly page?: { readonly total: number | null; readonly next: string | null }
}

/** Why one of several failed, and what to do next. */
export interface BulkFailure {
  readonly code: string
  readonly message: string
  readonly hint: string | null
  /** Of the row in a CSV file. */
  readonly line?: number
}

export interface BulkResult {
  readonly input: string
  /** What people know the input by, where it was given as an id. */
  readonly name?: string | undefined
  readonly status: string
  /** The id of the result, which `--quiet` prints; default: the input. */
  readonly id?: string
  /** A secret, shown only once; `--quiet` prints it. */
  readonly token?: string
  readonly error: BulkFailure | null
}

interface BulkOptions {
  readonly sentence?: string
  readonly counts?: Readonly<Record<string, number>>
}

/** The result of a command, in the form that its reader asked for. Everything else goes to stderr. */
export interface Out {
  readonly style: OutputStyle
  /** One item as labelled lines. */
  one<T extends object>(item: T, columns: readonly Column<T>[]): Promise<void>
  /** One item as one line. */
  line(text: string, item: object): void
  done(sentence: string, change: Change): void
  list<T extends object>(items: readonly T[], columns: readonly Column<T>[], options: ListOptions): Promise<void>
  /** `sentence`: for people, if one action did it all and there are no ids; `counts`: own counts for the summary. */
  bulk(results: readonly BulkResult[], told?: BulkOptions): void
  /** One of several results, as soon as it is known. A JSON document has to wait for all of them: see `results`. */
  result(result: BulkResult): void
  /** The JSON document of all results, each of which was given to `result`. */
  results(results: readonly BulkResult[], counts?: BulkOptions['counts']): void
  /** Text that is printed unchanged (a script, a help page, a token). Must already be safe. */
  text(text: string, data: object): void
  /** For people, on stderr; silent if a program reads. */
  note(text: string): void
  warn(text: string): void
}

interface Sinks {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
}

/** Whether a parser reads the result, so that everything is in it. */
export const isData = ({ mode }: OutputStyle): boolean => ['document', 'ndjson', 'csv', 'tsv'].includes(mode)

export const createOut = (style: () => OutputStyle, sinks: Sinks): Out => new StyledOut(style, sinks)

class StyledOut implements Out {
  readonly #style: () => OutputStyle
  readonly #sinks: Sinks
  #header: string | undefined

  constructor(style: () => OutputStyle, sinks: Sinks) {
    this.#style = style
    this.#sinks = sinks
  }

  get style(): OutputStyle {
    return this.#style()
  }

  async one<T extends object>(item: T, columns: readonly Column<T>[]): Promise<void> {
    const { mode, page } = this.style
    if (mode === 'programs') return this.#print(tabSheet(item, this.#columns(columns)))
    if (mode !== 'people') return this.#simple('', this.#picked(item), item)
    const { sheet } = await import('./table.ts')
    this.#print(sheet(item, this.#columns(columns), page))
  }

  line(text: string, item: object): void {
    this.#simple(escapeControls(text), this.#picked(item), item)
  }

  done(sentence: string, { status, resource, secret, lacksSecret }: Change): void {
    if (lacksSecret && !isData(this.style) && this.style.mode !== 'people') return this.note(sentence)
    if (secret !== undefined && !isData(this.style)) return this.#once(sentence, secret)
    const picked = this.#picked(resource)
    const isRow = this.#isOfRows()
    this.#simple(escapeControls(sentence), isRow ? { status, ...picked } : { status, resource: picked }, resource)
  }

  /** In a pipe the secret is printed alone, so that it can go straight into a secret store. */
  #once(sentence: string, secret: string): void {
    if (this.style.mode === 'people') this.#print([escapeControls(sentence), escapeControls(secret)])
    else {
      this.note(sentence)
      this.#print([escapeControls(secret)])
    }
    this.note(shownOnce)
  }

  async list<T extends object>(
    items: readonly T[],
    columns: readonly Column<T>[],
    options: ListOptions,
  ): Promise<void> {
    if (items.length === 0) this.note(options.empty)
    const { mode, page } = this.style
    if (mode === 'ids') return this.#print(idsOf(items, options.id))
    if (isData(this.style)) return this.#dataList(items, options.page)
    if (mode === 'programs') return this.#print(tabSeparated(items, this.#columns(columns)))
    if (items.length === 0) return
    // Measuring text is slow to load, so it is loaded only for people.
    const { table } = await import('./table.ts')
    this.#print(table(items, this.#columns(columns), page))
  }

  bulk(results: readonly BulkResult[], { sentence, counts }: BulkOptions = {}): void {
    const { mode } = this.style
    if (sentence !== undefined && !isData(this.style))
      return this.#print(mode === 'ids' ? [] : [escapeControls(sentence)])
    for (const result of results) this.result(result)
    this.results(results, counts)
  }

  result(result: BulkResult): void {
    const { mode } = this.style
    const { token, id, input } = result
    if (mode === 'ids') {
      // Otherwise nothing would say what failed, and why.
      if (result.error) this.#sinks.stderr(`${resultLine(result)}\n`)
      return this.#print(isDone(result) ? [escapeControls(token ?? id ?? input)] : [])
    }
    if (mode === 'document') return
    this.#print(
      isData(this.style) ? this.#data(this.#picked(result)) : [resultLine(mode === 'people' ? named(result) : result)],
    )
  }

  results(results: readonly BulkResult[], counts: BulkOptions['counts'] = {}): void {
    const items = results.map((result) => this.#picked(result))
    if (this.style.mode === 'document')
      this.#print(this.#data({ results: items, summary: { ...summaryOf(results), ...counts } }))
    else if (results.some(({ token }) => token !== undefined)) this.note(shownOnce)
  }

  text(text: string, data: object): void {
    this.#print(isData(this.style) ? this.#data(this.#picked(data)) : [text.replace(/\n$/, '')])
  }

  note(text: string): void {
    const { mode } = this.style
    if (mode === 'people' || mode === 'programs' || this.#isOfRows())
      this.#sinks.stderr(`${hangingProse(escapeControls(text), 0, this.style.notesWidth)}\n`)
  }

  warn(text: string): void {
    const { notesPaint, notesWidth } = this.style
    this.#sinks.stderr(`${notesPaint('yellow', 'warning:')} ${hangingProse(escapeControls(text), 9, notesWidth)}\n`)
  }

  #dataList(
    items: readonly object[],
    page: NonNullable<ListOptions['page']> = { total: items.length, next: null },
  ): void {
    const picked = items.map((item) => this.#picked(item))
    const head = this.#isOfRows() ? this.#headerOf(this.style.fields) : []
    if (this.style.mode === 'document') this.#print(this.#data({ items: picked, page }))
    else this.#print([...head, ...picked.flatMap((item) => this.#data(item))])
  }

  /** One line for people and programs, the value as data, or the item's id. */
  #simple(text: string, value: object, thing: object): void {
    if (this.style.mode === 'ids') return this.#print(idsOf([thing]))
    this.#print(isData(this.style) ? this.#data(value) : [text])
  }

  #picked(item: object): object {
    return pickFields(item, this.style.fields)
  }

  #columns<T extends object>(columns: readonly Column<T>[]): readonly Column<T>[] {
    return (
      this.style.columns?.map((name) => ({ header: name, value: (item) => cellOf(Reflect.get(item, name)) })) ?? columns
    )
  }

  #isOfRows(): boolean {
    return this.style.mode === 'csv' || this.style.mode === 'tsv'
  }

  /** A document, or one of several lines. */
  #data(value: object): readonly string[] {
    const { mode, document } = this.style
    if (!this.#isOfRows()) return document(value)
    return [...this.#headerOf(Object.keys(value)), rowText(Object.values(value), mode === 'csv' ? ',' : '\t')]
  }

  /** The header, once above all rows that have these fields. */
  #headerOf(names: readonly string[]): readonly string[] {
    const header = rowText(names, this.style.mode === 'csv' ? ',' : '\t')
    if (header === this.#header || names.length === 0) return []
    this.#header = header
    return [header]
  }

  #print(lines: readonly string[]): void {
    if (lines.length > 0) this.#sinks.stdout(`${lines.join('\n')}\n`)
  }
}

const idsOf = (items: readonly object[], key = 'id'): string[] =>
  items.flatMap((item) => {
    const id: unknown = Reflect.get(item, key)
    return typeof id === 'string' ? [escapeControls(id)] : []
  })

const shownOnce = 'This is shown once: store it where you keep secrets'

const named = ({ name, ...result }: BulkResult): BulkResult =>
  name === undefined || name === result.input ? result : { ...result, input: `${name} (${result.input})` }

const resultLine = ({ input, status, token, error }: BulkResult): string =>
  [input, status, ...(error ? failureParts(input, error) : [token])]
    .filter((part) => part !== undefined)
    .map(escapeControls)
    .join('\t')

/** What to do next, where a failure is one of several. */
export const nextText = (hint: string): string => `next: ${hint}`

const failureParts = (input: string, { message, hint, line }: BulkFailure): readonly (string | undefined)[] => [
  line === undefined || input === `line ${line}` ? message : `line ${line}: ${message}`,
  hint === null ? undefined : nextText(hint),
]

const isDone = ({ status, error }: BulkResult): boolean => !error && status !== 'skipped'

function summaryOf(results: readonly BulkResult[]) {
  const failed = results.filter((result) => result.error).length
  const skipped = results.filter((result) => result.status === 'skipped').length
  return { total: results.length, succeeded: results.length - failed - skipped, failed, skipped }
}

/** Tab-separated full values for programs, without a header. */
export const tabSeparated = <T>(items: readonly T[], columns: readonly Column<T>[]): string[] =>
  items.map((item) => columns.map((column) => fullOf(item, column)).join('\t'))

/** One item: a name and a full value per line. */
const tabSheet = <T>(item: T, columns: readonly Column<T>[]): string[] =>
  columns.map((column) => `${column.header}\t${fullOf(item, column)}`)

const fullOf = <T>(item: T, { value, full = value }: Column<T>): string => forPrograms(full(item))

function forPrograms(cell: Cell): string {
  if (cell instanceof Date) return cell.toISOString()
  if (cell === null || cell === undefined) return ''
  return escapeControls(Array.isArray(cell) ? cell.join(',') : String(cell))
}
