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
    secondFactors: 0,
    canBeReadAgain: true,
    read: (position) => readFile(path, placeOf(position)),
    done: ({ position }) => placeOf(position).end,
  }
}

/** A stream that is read once, from its beginning. */
export const streamSource = (stream: AsyncIterable<Buffer>): Source => ({
  identity: 'stream',
  size: null,
  secondFactors: 0,
  canBeReadAgain: false,
  read: () => itemsOf(readLines(stream)),
  done: ({ line }) => line,
})

const readFile = (path: string, place: { readonly line: number; readonly end: number }) =>
  itemsOf(readLines(createReadStream(path, { start: place.end, highWaterMark: 262_144 }), place))

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
