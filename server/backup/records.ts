import { UnusableBackup } from './frames.ts'

/** What is inside a backup, in its order: the manifest, then each table with its rows, then the totals. */
export type BackupRecord = { readonly fact: Fact } | { readonly rows: Buffer }

export type Fact =
  | {
      readonly kind: 'manifest'
      readonly version: string
      readonly server: string
      readonly migrations: readonly string[]
    }
  | { readonly kind: 'table'; readonly name: string; readonly columns: readonly string[] }
  | { readonly kind: 'sequence'; readonly name: string; readonly value: string }
  | { readonly kind: 'end'; readonly counts: Readonly<Record<string, number>> }

const [factMark, rowsMark] = [1, 2]
/** Bytes of rows in one record. */
const batch = 1 << 16

function recordOf(mark: number, bytes: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(mark)
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

export const factRecord = (fact: Fact): Buffer => recordOf(factMark, Buffer.from(JSON.stringify(fact)))

/** Rows, several in a record. */
export async function* rowRecords(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let [held, size]: [Buffer[], number] = [[], 0]
  for await (const row of rows) {
    held.push(row)
    size += row.length
    if (size < batch) continue
    yield recordOf(rowsMark, Buffer.concat(held))
    ;[held, size] = [[], 0]
  }
  if (size > 0) yield recordOf(rowsMark, Buffer.concat(held))
}

/** In the text format of COPY a row ends with the only line feed that it has. */
export function countRows(rows: Buffer): number {
  let count = 0
  for (let at = rows.indexOf(10); at !== -1; at = rows.indexOf(10, at + 1)) count += 1
  return count
}

export async function* parseRecords(content: AsyncIterable<Buffer>): AsyncGenerator<BackupRecord> {
  let held: Buffer = Buffer.alloc(0)
  for await (const bytes of content) {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes])
    for (;;) {
      if (held.length < 5) break
      const end = 5 + held.readUInt32BE(1)
      if (held.length < end) break
      const body = held.subarray(5, end)
      yield held[0] === factMark ? { fact: JSON.parse(body.toString()) as Fact } : { rows: body }
      held = held.subarray(end)
    }
  }
  if (held.length > 0) throw new UnusableBackup('The backup is damaged: it ends within a record')
}
