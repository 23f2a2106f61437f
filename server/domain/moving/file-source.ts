import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type ReadLine, readLines } from './read-lines.ts'
import type { Source, SourceItem } from './source.ts'

/** An NDJSON file in the published format. */
export async function fileSource(path: string): Promise<Source> {
  const { size } = await stat(path)
  return {
    identity: `file ${await digestOfFile(path)}`,
    size,
    secondFactors: await countSecondFactors(path),
    canBeReadAgain: true,
    read: (position) => itemsOf(linesOf(path, placeOf(position))),
    done: ({ position }) => placeOf(position).end,
  }
}

/** A stream that is read once, from its beginning. */
export function streamSource(stream: AsyncIterable<Buffer>): Source {
  const owners = new FactorOwners()
  return {
    identity: 'stream',
    size: null,
    get secondFactors() {
      return owners.count
    },
    canBeReadAgain: false,
    read: () => owners.noting(itemsOf(readLines(stream))),
    done: ({ line }) => line,
  }
}

/** The users of the records of second factors that were read. */
class FactorOwners {
  readonly #users = new Set<unknown>()

  get count(): number {
    return this.#users.size
  }

  async *noting(items: AsyncIterable<SourceItem>): AsyncGenerator<SourceItem> {
    for await (const item of items) {
      const { type, userId } = Object(item.record)
      if (type === 'secondFactor') this.#users.add(userId)
      yield item
    }
  }
}

/** Reads all of it before anything is stored. */
async function countSecondFactors(path: string): Promise<number> {
  const owners = new FactorOwners()
  for await (const _ of owners.noting(itemsOf(linesOfFactors(path)))) continue
  return owners.count
}

/** Only what can be such a record is parsed: JSON may spell its type with escapes. */
async function* linesOfFactors(path: string): AsyncGenerator<ReadLine> {
  for await (const line of linesOf(path, placeOf(null)))
    if (line.text !== undefined && /secondFactor|\\u/.test(line.text)) yield line
}

const linesOf = (path: string, place: { readonly line: number; readonly end: number }) =>
  readLines(createReadStream(path, { start: place.end, highWaterMark: 262_144 }), place)

export async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path, { highWaterMark: 1_048_576 })) hash.update(bytes as Buffer)
  return hash.digest('hex')
}

function placeOf(position: string | null): { line: number; end: number } {
  const [end = 0, line = 0] = (position ?? '0:0').split(':').map(Number)
  return { line, end }
}

async function* itemsOf(lines: AsyncIterable<ReadLine>): AsyncGenerator<SourceItem> {
  for await (const line of lines) {
    const item = itemOf(line)
    if (item) yield item
  }
}

/** Null for an empty line. */
function itemOf({ line, end, text, problem }: ReadLine): SourceItem | null {
  const at = { line, position: `${end}:${line}` }
  if (problem !== undefined) return { ...at, problem }
  if (text === undefined || text.trim() === '') return null
  try {
    return { ...at, record: JSON.parse(text) as unknown }
  } catch {
    return { ...at, problem: 'NOT_JSON' }
  }
}
