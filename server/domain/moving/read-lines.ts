import { isUtf8 } from 'node:buffer'
import { withoutByteOrderMark } from '../../../shared/byte-order-mark.ts'

/** A line of a file, or why it cannot be read. */
export interface ReadLine {
  readonly line: number
  /** The byte after it. */
  readonly end: number
  readonly text?: string
  readonly problem?: 'LINE_TOO_LONG' | 'NOT_UTF8'
  /** How many quotes a line has that cannot be read: in a CSV file they tell where its row ends. */
  readonly quotes?: number
}

/** Bytes. A longer line is counted and skipped, and never held in memory. */
export const maxLine = 1024 * 1024

const [newline = 0, quote = 0] = Buffer.from('\n"')

/** Splits a stream into lines without holding more than one of them. */
export async function* readLines(chunks: AsyncIterable<Buffer>, start = { line: 0, end: 0 }): AsyncGenerator<ReadLine> {
  const reader = new LineReader(start)
  for await (const chunk of chunks) yield* reader.push(chunk)
  yield* reader.finish()
}

class LineReader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  #line: number
  #end: number
  #parts: Buffer[] = []
  #length = 0
  /** In what was dropped of the line. */
  #quotes = 0

  constructor({ line, end }: { readonly line: number; readonly end: number }) {
    this.#line = line
    this.#end = end
  }

  *push(chunk: Buffer): Generator<ReadLine> {
    const first = chunk.indexOf(newline)
    let from = 0
    // Asked once for all whole lines of the chunk, since none ends within a character.
    const isText = first >= 0 && isUtf8(chunk.subarray(first, chunk.lastIndexOf(newline)))
    for (let at = first; at >= 0; at = chunk.indexOf(newline, from)) {
      if (isText && from > 0 && at - from <= maxLine) yield this.#whole(chunk, from, at)
      else {
        this.#add(chunk.subarray(from, at))
        this.#end += 1
        yield this.#take()
      }
      from = at + 1
    }
    this.#add(chunk.subarray(from))
  }

  #whole(chunk: Buffer, from: number, to: number): ReadLine {
    this.#line += 1
    this.#end += to - from + 1
    return { line: this.#line, end: this.#end, text: withoutByteOrderMark(chunk.toString('utf8', from, to)) }
  }

  *finish(): Generator<ReadLine> {
    if (this.#length > 0) yield this.#take()
  }

  #add(part: Buffer): void {
    this.#end += part.length
    this.#length += part.length
    this.#parts.push(part)
    if (this.#length > maxLine) this.#drop()
  }

  #drop(): void {
    for (const part of this.#parts) for (const byte of part) if (byte === quote) this.#quotes += 1
    this.#parts = []
  }

  #take(): ReadLine {
    this.#line += 1
    const at = { line: this.#line, end: this.#end }
    const text = this.#text()
    if (text === undefined) this.#drop()
    const [length, quotes] = [this.#length, this.#quotes]
    this.#parts = []
    this.#length = 0
    this.#quotes = 0
    if (text !== undefined) return { ...at, text }
    return { ...at, problem: length > maxLine ? 'LINE_TOO_LONG' : 'NOT_UTF8', quotes }
  }

  #text(): string | undefined {
    if (this.#length > maxLine) return undefined
    const [first, ...others] = this.#parts
    try {
      return this.#decoder.decode(others.length === 0 ? first : Buffer.concat(this.#parts))
    } catch {
      return undefined
    }
  }
}
