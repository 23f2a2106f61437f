import type { Writable } from 'node:stream'
import { UnusableBackup } from '../backup/frames.ts'
import { type BackupRecord, countRows, type Fact } from '../backup/records.ts'
import { type inRestore, setSequence, writeRows } from '../db/backup.ts'

/** Rows by table. */
export type Counts = Readonly<Record<string, number>>

type RestoreTx = Parameters<Parameters<typeof inRestore>[1]>[0]
type Columns = ReadonlyMap<string, readonly string[]>

/** Writes every row, and compares the totals. */
export async function writeRecords(
  records: AsyncIterable<BackupRecord>,
  tx: RestoreTx,
  known: Columns,
): Promise<Counts> {
  const writer = new TableWriter(tx, known)
  try {
    for await (const record of records) {
      const told = 'rows' in record ? await writer.write(record.rows) : await takeFact(writer, tx, record.fact)
      if (told) return await requireEnd(records, requireTotals(writer.counts, told))
    }
  } catch (error) {
    writer.giveUp()
    throw error
  }
  throw new UnusableBackup('The backup is cut off: its totals are missing')
}

/** Returns the totals at the end. */
async function takeFact(writer: TableWriter, tx: RestoreTx, fact: Fact): Promise<Counts | undefined> {
  await writer.end()
  if (fact.kind === 'table') await writer.begin(fact)
  if (fact.kind === 'sequence') await setSequence(tx, fact.name, fact.value)
  return fact.kind === 'end' ? fact.counts : undefined
}

/** Reads on to the last seal, which says that nothing is missing and nothing follows. */
async function requireEnd(records: AsyncIterable<BackupRecord>, counts: Counts): Promise<Counts> {
  for await (const _ of records) throw new UnusableBackup('The backup is damaged: it goes on after its totals')
  return counts
}

/** Writes the rows of one table after the other. */
class TableWriter {
  readonly counts: Record<string, number> = {}
  readonly #tx: RestoreTx
  readonly #known: Columns
  #table = ''
  #rows: Writable | null = null

  constructor(tx: RestoreTx, known: Columns) {
    this.#tx = tx
    this.#known = known
  }

  async begin({ name, columns }: Extract<Fact, { kind: 'table' }>): Promise<void> {
    const there = this.#known.get(name)
    if (!there) throw new UnusableBackup(`The backup has a table that this version does not know: ${name}`)
    const lacking = columns.filter((column) => !there.includes(column)).join(', ')
    if (lacking)
      throw new UnusableBackup(
        `The backup has columns of ${name} that this database lacks: ${lacking}. Add them here by alter table, then restore again`,
      )
    this.#table = name
    this.counts[name] ??= 0
    this.#rows = await writeRows(this.#tx, name, columns)
  }

  async write(bytes: Buffer): Promise<undefined> {
    const rows = this.#rows
    if (!rows) throw new UnusableBackup('The backup is damaged: rows without a table')
    this.counts[this.#table] = (this.counts[this.#table] ?? 0) + countRows(bytes)
    await settled(rows, (done) => rows.write(bytes, done))
    return undefined
  }

  async end(): Promise<void> {
    const rows = this.#rows
    this.#rows = null
    if (rows) await settled(rows, (done) => rows.end(done))
  }

  /** The transaction is undone. What the connection says of it then is of no interest. */
  giveUp(): void {
    this.#rows?.destroy(new Error('The restore was given up'))
  }
}

function settled(rows: Writable, work: (done: (error?: Error | null) => void) => unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    rows.once('error', reject)
    work((error) => {
      rows.off('error', reject)
      if (error) reject(rows.errored ?? error)
      else resolve()
    })
  })
}

function requireTotals(counts: Counts, told: Counts): Counts {
  const isSame = Object.keys({ ...counts, ...told }).every((name) => (counts[name] ?? 0) === (told[name] ?? 0))
  if (!isSame) throw new UnusableBackup('The backup is damaged: its totals are not those of its rows')
  return counts
}
