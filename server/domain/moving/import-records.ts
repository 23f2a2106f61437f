import { hash } from 'node:crypto'
import { type RecordType, recordTypes } from '../../../shared/moving/records.ts'
import type { Driver } from '../../db/connect.ts'
import { withoutLimits } from '../../db/long-work.ts'
import { findMark, findPosition, forgetPosition, storeMark, storePosition } from '../../db/moving/cursors.ts'
import { endLinks, endSecondFactors, endSessions } from '../../db/moving/end-imports.ts'
import { countRows, type GivenRow, insertRows } from '../../db/moving/insert-rows.ts'
import { checkItem, type LeftOut } from './check-item.ts'
import { chunksOf, oneAhead } from './chunks.ts'
import { groupsOf } from './groups.ts'
import type { PreparedRecord, PrepareParts } from './prepare-record.ts'
import { Sample } from './sample.ts'
import type { Source, SourceItem } from './source.ts'
import { isParent, Strangers } from './strangers.ts'

export type Counts = Readonly<Record<RecordType, number>>

export interface ImportOptions {
  /** Everything is done, and undone at the end. */
  readonly isDryRun: boolean
  /** Records of each transaction, after which a later run goes on. Null: one transaction for all. */
  readonly batch: number | null
  /** Replaces records that are there with the same id. */
  readonly isUpdating: boolean
  readonly parts: PrepareParts
  readonly signal?: AbortSignal | undefined
  readonly onLeftOut: (row: LeftOut) => void
  /** Called in each transaction, at its end, with what it stored. Not for a batch that stored nothing. */
  readonly onStored?: ((tx: Driver, stored: Counts) => Promise<void>) | undefined
  readonly onProgress?: ((done: number, records: number) => void) | undefined
}

export interface ImportSummary {
  readonly read: number
  /** Stored by this run. */
  readonly stored: Counts
  /** There from an earlier run. */
  readonly present: Counts
  readonly leftOut: number
  /** Sessions, links and second factors of an earlier run that ended there. */
  readonly ended: number
  /** Stored, but not with every field as it was given. */
  readonly altered: number
  /** In each table before and after. */
  readonly before: Counts
  readonly after: Counts
  /** Rows that were compared field by field, and the fields that differ. */
  readonly compared: number
  readonly different: readonly string[]
}

/** Records that are stored by one statement for each type. */
const chunkSize = 1000
/** Ids that a mark keeps. With more, the next run reads from the mark before. */
const mostLeft = 10_000

/**
 * Moves the records of a source in. What cannot come is reported row by row, and everything else is stored; an outage
 * undoes the transaction, and is thrown.
 */
export async function importRecords(sql: Driver, source: Source, options: ImportOptions): Promise<ImportSummary> {
  const run = new ImportRun(source, options)
  const isWhole = options.batch === null || options.isDryRun
  return isWhole ? inOneTransaction(sql, run, source, options) : inBatches(sql, run, source, options)
}

class Undone extends Error {}

async function inOneTransaction(
  sql: Driver,
  run: ImportRun,
  { identity }: Source,
  { isDryRun, onStored }: ImportOptions,
): Promise<ImportSummary> {
  let summary: ImportSummary | undefined
  const work = withoutLimits(sql, async (tx) => {
    await run.begin(tx, null)
    for await (const chunk of oneAhead(run.chunks(chunkSize))) await run.store(tx, chunk)
    await run.sample.compare(tx)
    await run.end(tx)
    await forgetPosition(tx, identity)
    summary = await run.finish(tx)
    await onStored?.(tx, summary.stored)
    if (isDryRun) throw new Undone()
  })
  await work.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error
  })
  if (!summary) throw new Error('The import did not end')
  return summary
}

async function inBatches(
  sql: Driver,
  run: ImportRun,
  { identity }: Source,
  options: ImportOptions,
): Promise<ImportSummary> {
  const terms = termsOf(options)
  await withoutLimits(sql, async (tx) => {
    const found = await findPosition(tx, identity)
    await run.begin(tx, found?.startsWith(terms) ? found.slice(terms.length) : null)
    await run.refuseStrangers(tx)
  })
  for await (const chunk of oneAhead(run.chunks()))
    await withoutLimits(sql, async (tx) => {
      const stored = await run.store(tx, chunk)
      await run.sample.compare(tx)
      if (Object.values(stored).some((count) => count > 0)) await options.onStored?.(tx, stored)
      await storePosition(tx, identity, `${terms}${chunk.items.at(-1)?.position ?? ''}`)
    })
  return withoutLimits(sql, async (tx) => {
    await run.end(tx)
    await forgetPosition(tx, identity)
    return run.finish(tx)
  })
}

/** What another run has to be told as well to go on behind the batches of this one: the rest would come otherwise. */
const termsOf = ({ isUpdating, parts: { signerKey } }: ImportOptions): string =>
  `${hash('sha256', JSON.stringify([isUpdating, signerKey]))} `

/** Items, those of their records that can be stored as far as it shows, and the others. */
interface Checked {
  readonly items: readonly SourceItem[]
  readonly fit: readonly PreparedRecord[]
  readonly unfit: readonly LeftOut[]
}

class ImportRun {
  readonly sample = new Sample()
  readonly #source: Source
  readonly #options: ImportOptions
  readonly #stored = noCounts()
  readonly #present = noCounts()
  readonly #strangers: Strangers
  /** Those who were here before. */
  readonly #earlierUsers = new Set<unknown>()
  #before = noCounts()
  #position: string | null = null
  #mark: string | null = null
  /** Ids of what was left out, up to one more than can be kept. */
  readonly #left = new Set<string>()
  #read = 0
  #leftOut = 0
  #altered = 0
  #ended = 0

  constructor(source: Source, options: ImportOptions) {
    this.#source = source
    this.#options = options
    this.#strangers = new Strangers(options.isUpdating)
  }

  /**
   * Reads all that will come before the first batch: what a batch stored stays. @throws StrangersError
   */
  async refuseStrangers(tx: Driver): Promise<void> {
    if (!this.#source.canBeReadAgain) return
    for await (const chunk of chunksOf(this.#source.read(null, this.#mark), chunkSize)) {
      this.#options.signal?.throwIfAborted()
      const items = chunk.filter(({ record }) => isParent(Object(record).type))
      const checked = await Promise.all(items.map((item) => checkItem(item, this.#options.parts)))
      const fit = checked.flatMap((one) => ('row' in one ? [one] : []))
      for (const { type, rows } of groupsOf(fit)) await this.#strangers.refuseRows(tx, type, rows)
      await this.#strangers.refuse(
        tx,
        checked.flatMap((one) => ('row' in one ? [] : [one])),
      )
    }
  }

  async begin(tx: Driver, position: string | null): Promise<void> {
    this.#position = position
    this.#mark = await findMark(tx, this.#source.identity)
    this.#before = await countRows(tx)
  }

  async *chunks(size = this.#options.batch ?? chunkSize): AsyncGenerator<Checked> {
    for await (const items of chunksOf(this.#source.read(this.#position, this.#mark), size)) yield this.#check(items)
  }

  async #check(items: readonly SourceItem[]): Promise<Checked> {
    const unfit: LeftOut[] = []
    const fit: PreparedRecord[] = []
    for (const checked of await Promise.all(items.map((item) => checkItem(item, this.#options.parts)))) {
      if ('row' in checked) fit.push(checked)
      else unfit.push(checked)
    }
    return { items, fit, unfit }
  }

  /** Stores what can be stored. Counted and reported once it is, so a batch that is undone is not. */
  async store(tx: Driver, { items, fit, unfit }: Checked): Promise<Counts> {
    this.#options.signal?.throwIfAborted()
    const before = { ...this.#stored }
    const left = [...unfit]
    const altered: LeftOut[] = []
    for (const { type, rows } of groupsOf(fit)) {
      const answer = await this.#insert(tx, type, rows)
      left.push(...answer.left)
      altered.push(...answer.altered)
    }
    // A dry run reports all of them, and stores nothing.
    if (!this.#options.isDryRun) await this.#strangers.refuse(tx, left)
    this.#report(items, left, [...alteredOf(fit, left), ...altered])
    return differenceOf(this.#stored, before)
  }

  async #insert(tx: Driver, type: RecordType, rows: readonly GivenRow[]) {
    const { isUpdating, batch } = this.#options
    const isNewUser = (id: unknown) => this.#strangers.knows('user', id) && !this.#earlierUsers.has(id)
    // Of a batch that is done, everybody is seen.
    const answer = await insertRows(tx, type, rows, { isUpdating, ...(batch === null && { isNewUser }) })
    const inserted = new Set(answer.inserted)
    if (type === 'user') for (const { id } of rows) if (!inserted.has(id)) this.#earlierUsers.add(id)
    const refused = new Set(answer.left.map(({ line }) => line))
    const missing = answer.left.filter(({ reason }) => reason !== 'PRESENT')
    const gone = new Set(missing.map(({ line }) => line))
    this.#strangers.know(
      type,
      rows.filter(({ line }) => !gone.has(line)),
    )
    this.#stored[type] += answer.stored
    this.#present[type] += answer.left.length - missing.length
    this.sample.keep(
      type,
      rows.filter(({ line }) => !refused.has(line)),
    )
    const left = missing.map((row): LeftOut => ({ ...row, type, detail: null }))
    return { left, altered: answer.reduced.map(({ fields, ...row }) => alteration(type, row, fields)) }
  }

  async end(tx: Driver): Promise<void> {
    await this.#endGone(tx)
    const isWhole = this.#options.isUpdating || Object.values(this.#present).every((count) => count === 0)
    // Otherwise what was there already may have changed at the source, and was not replaced.
    if (!isWhole || this.#left.size > mostLeft) return
    const mark = this.#source.mark?.([...this.#left])
    if (mark) await storeMark(tx, this.#source.identity, mark)
  }

  async #endGone(tx: Driver): Promise<void> {
    const living = this.#options.isUpdating ? await this.#source.living?.() : undefined
    if (!living) return
    if (living.session) this.#ended += await endSessions(tx, living.session, living.user)
    if (living.link) this.#ended += await endLinks(tx, living.link, living.user)
    if (living.secondFactor) this.#ended += await endSecondFactors(tx, living.secondFactor, living.user)
  }

  #report(items: readonly SourceItem[], left: readonly LeftOut[], altered: readonly LeftOut[]): void {
    for (const row of altered) this.#options.onLeftOut(row)
    for (const { id } of left) if (id !== null && this.#left.size <= mostLeft) this.#left.add(id)
    for (const row of left.toSorted((one, other) => one.line - other.line)) this.#options.onLeftOut(row)
    this.#read += items.length
    this.#leftOut += left.length
    this.#altered += altered.length
    const last = items.at(-1)
    if (last) this.#options.onProgress?.(this.#source.done(last), this.#read)
  }

  async finish(tx: Driver): Promise<ImportSummary> {
    const counts = { stored: this.#stored, present: this.#present, before: this.#before }
    const after = await countRows(tx)
    const results = {
      read: this.#read,
      leftOut: this.#leftOut,
      ended: this.#ended,
      altered: this.#altered,
      ...this.sample.results,
    }
    return { ...results, ...counts, after }
  }
}

const alteration = (
  type: RecordType,
  { line, id }: Pick<GivenRow, 'line' | 'id'>,
  fields: readonly string[],
): LeftOut => ({ line, type, id, reason: 'ALTERED', detail: fields.join(', ') })

/** Those of which something was changed before they were stored. */
function alteredOf(fit: readonly PreparedRecord[], left: readonly LeftOut[]): readonly LeftOut[] {
  const lines = new Set(left.map(({ line }) => line))
  const altered = fit.filter(({ row, altered: fields }) => fields.length > 0 && !lines.has(row.line))
  return altered.map(({ type, row, altered: fields }) => alteration(type, row, fields))
}

type Counters = Record<RecordType, number>
const countersOf = (count: (type: RecordType) => number): Counters =>
  Object.fromEntries(recordTypes.map((type) => [type, count(type)])) as Counters
const noCounts = (): Counters => countersOf(() => 0)
const differenceOf = (counts: Counts, before: Counts): Counts => countersOf((type) => counts[type] - before[type])
