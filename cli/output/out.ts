import type { Cell, Column } from './cell.ts'
import { visible } from './filter.ts'
import { jsonText, pickFields } from './json.ts'
import { hanging } from './prose.ts'
import type { PageFormat } from './table.ts'

/** Who reads stdout: a person at a terminal, the next program of a pipe, a JSON parser, or a loop over ids. */
export type OutputMode = 'people' | 'programs' | 'json' | 'ndjson' | 'ids'

export interface OutputStyle {
  readonly mode: OutputMode
  /** What JSON tells of a thing, absent ones as null: those named by `--json=a,b`, else all that its schema has; none: it is told whole. */
  readonly fields: readonly string[]
  readonly page: PageFormat
  readonly hasColor: boolean
  /** Spaces of JSON indentation; undefined is one line. */
  readonly indent: number | undefined
  /** Columns of what is told beside the result; without end where no person reads it. */
  readonly notesWidth: number
}

interface Change {
  readonly status: 'created' | 'updated' | 'deleted' | 'unchanged' | 'planned'
  readonly resource: object
  /** Told this once: it is the result where one line is wanted. */
  readonly secret?: string | undefined
}

interface ListOptions {
  /** Said to people on stderr when there is nothing. */
  readonly empty: string
  /** The value `--quiet` prints; default: the item's `id`. */
  readonly id?: string
  /** Where this is a part of the list: how many there are in all, and what asks for the next part. */
  readonly page?: { readonly total: number | null; readonly next: string | null }
}

export interface BulkResult {
  readonly input: string
  readonly status: string
  /** Of what came of it: what `--quiet` prints; without, the input. */
  readonly id?: string
  readonly error: { readonly code: string; readonly message: string } | null
}

/** The result of a command, in the form its reader asked for. Everything else a command says goes to stderr. */
interface BulkTold {
  readonly sentence?: string
  readonly counts?: Readonly<Record<string, number>>
}

export interface Out {
  readonly style: OutputStyle
  /** One thing as labelled lines. */
  one<T extends object>(item: T, columns: readonly Column<T>[]): Promise<void>
  /** One thing as one line. */
  line(text: string, item: object): void
  done(sentence: string, change: Change): void
  list<T extends object>(items: readonly T[], columns: readonly Column<T>[], options: ListOptions): Promise<void>
  /** `sentence`: for people, where one act did it all, there are no ids then; `counts`: of its own, in the summary. */
  bulk(results: readonly BulkResult[], told?: BulkTold): void
  /** Text that is the result as it stands (a script, a help page, a token). Must be safe already. */
  text(text: string, data: object): void
  /** For people, on stderr; silent when a program reads. */
  note(text: string): void
  warn(text: string): void
}

interface Sinks {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
}

export const createOut = (style: () => OutputStyle, sinks: Sinks): Out => new StyledOut(style, sinks)

class StyledOut implements Out {
  readonly #style: () => OutputStyle
  readonly #sinks: Sinks

  constructor(style: () => OutputStyle, sinks: Sinks) {
    this.#style = style
    this.#sinks = sinks
  }

  get style(): OutputStyle {
    return this.#style()
  }

  async one<T extends object>(item: T, columns: readonly Column<T>[]): Promise<void> {
    const { mode, page } = this.style
    if (mode === 'programs') return this.#print(tabSheet(item, columns))
    if (mode !== 'people') return this.#simple('', this.#picked(item), item)
    const { sheet } = await import('./table.ts')
    this.#print(sheet(item, columns, page))
  }

  line(text: string, item: object): void {
    this.#simple(visible(text), this.#picked(item), item)
  }

  done(sentence: string, { status, resource, secret }: Change): void {
    if (secret !== undefined && !this.#isJson()) return this.#once(sentence, secret)
    this.#simple(visible(sentence), { status, resource: this.#picked(resource) }, resource)
  }

  /** A pipe gets it alone, so that it goes as it is where secrets are kept. */
  #once(sentence: string, secret: string): void {
    if (this.style.mode === 'people') this.#print([visible(sentence), visible(secret)])
    else {
      this.note(sentence)
      this.#print([visible(secret)])
    }
    this.note('This is shown once: keep it where secrets are kept')
  }

  #isJson(): boolean {
    return this.style.mode === 'json' || this.style.mode === 'ndjson'
  }

  async list<T extends object>(
    items: readonly T[],
    columns: readonly Column<T>[],
    options: ListOptions,
  ): Promise<void> {
    if (items.length === 0) this.note(options.empty)
    const { mode, page } = this.style
    if (mode === 'ids') return this.#print(idsOf(items, options.id))
    if (mode === 'json' || mode === 'ndjson') return this.#jsonList(items, options.page)
    if (mode === 'programs') return this.#print(tabSeparated(items, columns))
    if (items.length === 0) return
    // Measuring text takes longer to load than the rest of the output: for people only.
    const { table } = await import('./table.ts')
    this.#print(table(items, columns, page))
  }

  bulk(results: readonly BulkResult[], { sentence, counts }: BulkTold = {}): void {
    const { mode } = this.style
    const items = results.map((result) => this.#picked(result))
    if (sentence !== undefined && !this.#isJson()) return this.#print(mode === 'ids' ? [] : [visible(sentence)])
    if (mode === 'ids') return this.#print(results.filter(isDone).map(({ id, input }) => visible(id ?? input)))
    if (mode === 'ndjson') return this.#print(items.map((item) => jsonText(item)))
    if (mode === 'json')
      return this.#print([this.#json({ results: items, summary: { ...summaryOf(results), ...counts } })])
    this.#print(results.map(resultLine))
  }

  text(text: string, data: object): void {
    const { mode } = this.style
    this.#print([mode === 'json' || mode === 'ndjson' ? this.#json(this.#picked(data)) : text.replace(/\n$/, '')])
  }

  note(text: string): void {
    const { mode } = this.style
    if (mode === 'people' || mode === 'programs')
      this.#sinks.stderr(`${hanging(visible(text), 0, this.style.notesWidth)}\n`)
  }

  warn(text: string): void {
    const { page, notesWidth } = this.style
    this.#sinks.stderr(`${page.paint('yellow', 'warning:')} ${hanging(visible(text), 9, notesWidth)}\n`)
  }

  #jsonList(
    items: readonly object[],
    page: NonNullable<ListOptions['page']> = { total: items.length, next: null },
  ): void {
    const picked = items.map((item) => this.#picked(item))
    this.#print(
      this.style.mode === 'ndjson' ? picked.map((item) => jsonText(item)) : [this.#json({ items: picked, page })],
    )
  }

  /** One line for people and programs; the value as JSON; the id of the thing. */
  #simple(text: string, value: object, thing: object): void {
    const { mode } = this.style
    this.#print(mode === 'ids' ? idsOf([thing]) : [mode === 'json' || mode === 'ndjson' ? this.#json(value) : text])
  }

  #picked(item: object): object {
    return pickFields(item, this.style.fields)
  }

  #json(value: unknown): string {
    return jsonText(value, this.style.mode === 'json' ? this.style.indent : undefined)
  }

  #print(lines: readonly string[]): void {
    if (lines.length > 0) this.#sinks.stdout(`${lines.join('\n')}\n`)
  }
}

const idsOf = (items: readonly object[], key = 'id'): string[] =>
  items.flatMap((item) => {
    const id: unknown = Reflect.get(item, key)
    return typeof id === 'string' ? [visible(id)] : []
  })

const resultLine = ({ input, status, error }: BulkResult): string =>
  [input, status, error?.message]
    .filter((part) => part !== undefined)
    .map(visible)
    .join('\t')

const isDone = ({ status, error }: BulkResult): boolean => !error && status !== 'skipped'

function summaryOf(results: readonly BulkResult[]) {
  const failed = results.filter((result) => result.error).length
  const skipped = results.filter((result) => result.status === 'skipped').length
  return { total: results.length, succeeded: results.length - failed - skipped, failed, skipped }
}

/** Tab-separated full values for the next program; no header. */
export const tabSeparated = <T>(items: readonly T[], columns: readonly Column<T>[]): string[] =>
  items.map((item) => columns.map((column) => fullOf(item, column)).join('\t'))

/** One thing, a name and a full value a line. */
const tabSheet = <T>(item: T, columns: readonly Column<T>[]): string[] =>
  columns.map((column) => `${column.header}\t${fullOf(item, column)}`)

const fullOf = <T>(item: T, { value, full = value }: Column<T>): string => forPrograms(full(item))

function forPrograms(cell: Cell): string {
  if (cell instanceof Date) return cell.toISOString()
  if (cell === null || cell === undefined) return ''
  return visible(Array.isArray(cell) ? cell.join(',') : String(cell))
}
