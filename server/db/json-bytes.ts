/** A constant part of what is written. */
export const bytesOf = (text: string): Uint8Array => Buffer.from(text)

const [quote, comma, brace, dash, blank, dot, plus, zero] = [0x22, 0x2c, 0x7b, 0x2d, 0x20, 0x2e, 0x2b, 0x30] as const
const [letterN, letterT, letterZ, yes] = [0x4e, 0x54, 0x5a, 0x74] as const
const truths = { true: bytesOf('true'), false: bytesOf('false') }
/** What stands around the elements of a list. */
const brackets = { start: bytesOf('["'), between: bytesOf('","'), end: bytesOf('"]'), empty: bytesOf('[]') }
const quotes = { start: bytesOf('"'), between: bytesOf(','), end: bytesOf('"'), empty: bytesOf('""') }

/** The bytes that JSON, or PostgreSQL in the element of a list, writes in another way. */
const escapedIn = (characters: string): Uint8Array => {
  const table = new Uint8Array(256).fill(1, 0, 0x20)
  for (const byte of bytesOf(characters)) table[byte] = 1
  return table
}
const escaped = { text: escapedIn('"\\'), element: escapedIn('"\\{') }

/** At the start, and the most that is kept for the next answer. */
const room = { first: 65_536, kept: 1_048_576 }

/**
 * JSON in UTF-8, written from the texts in which PostgreSQL sends values: mostly they are copied. A method that returns
 * false has written nothing: the value is of a rare form, and the caller has to read and encode it.
 */
export class JsonBytes {
  #bytes = Buffer.alloc(room.first)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Takes back what was written after this length. */
  cut(length: number): void {
    this.#length = length
  }

  /** What is written, to begin anew. */
  take(): string {
    const taken = this.#bytes.toString('utf8', 0, this.#length)
    if (this.#bytes.length > room.kept) this.#bytes = Buffer.alloc(room.first)
    this.#length = 0
    return taken
  }

  /** Replaces the byte at a place. */
  replace(at: number, byte: number): void {
    this.#bytes[at] = byte
  }

  copy(from: Uint8Array, start = 0, end = from.length): true {
    const out = this.#require(end - start)
    let at = this.#length
    for (let n = start; n < end; n += 1) out[at++] = from[n] ?? 0
    this.#length = at
    return true
  }

  text(from: Uint8Array, start: number, end: number): boolean {
    const out = this.#require(end - start + 2)
    let at = this.#length
    out[at++] = quote
    for (let n = start; n < end; n += 1) {
      const byte = from[n] ?? 0
      if (escaped.text[byte] === 1) return false
      out[at++] = byte
    }
    out[at++] = quote
    this.#length = at
    return true
  }

  boolean(from: Uint8Array, start: number): true {
    return this.copy(from[start] === yes ? truths.true : truths.false)
  }

  /** `2026-11-26 12:45:10.123456+00` as `"2026-11-26T12:45:10.123Z"`. */
  date(from: Uint8Array, start: number, end: number): boolean {
    if (!isPlainDate(from, start, end)) return false
    const out = this.#require(26)
    let at = this.#length
    out[at++] = quote
    for (let n = 0; n < 19; n += 1) out[at++] = n === 10 ? letterT : (from[start + n] ?? 0)
    out[at++] = dot
    for (let n = start + 20; n < start + 23; n += 1) out[at++] = n < end - 3 ? (from[n] ?? 0) : zero
    out[at++] = letterZ
    out[at++] = quote
    this.#length = at
    return true
  }

  /** `{owner,admin}` as `["owner","admin"]`. */
  array(from: Uint8Array, start: number, end: number): boolean {
    return isPlainList(from, start, end) && this.#list(from, start + 1, end - 1, brackets)
  }

  /** `{owner,admin}` as `"owner,admin"`. */
  joined(from: Uint8Array, start: number, end: number): boolean {
    return isPlainList(from, start, end) && this.#list(from, start + 1, end - 1, quotes)
  }

  #list(from: Uint8Array, start: number, end: number, marks: typeof brackets): true {
    if (start === end) return this.copy(marks.empty)
    this.copy(marks.start)
    let element = start
    for (let n = start; n < end; n += 1) {
      if (from[n] !== comma) continue
      this.copy(from, element, n)
      this.copy(marks.between)
      element = n + 1
    }
    this.copy(from, element, end)
    return this.copy(marks.end)
  }

  /** The bytes, with room for so many more. */
  #require(count: number): Uint8Array {
    if (this.#length + count > this.#bytes.length) {
      const larger = Buffer.alloc(2 * (this.#length + count))
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
    return this.#bytes
  }
}

/** Of UTC and a year of four digits: Date reads those before 1000 as of another century. */
const isPlainDate = (from: Uint8Array, start: number, end: number): boolean =>
  end - start >= 22 &&
  from[start] !== zero &&
  from[start + 4] === dash &&
  from[start + 10] === blank &&
  from[start + 19] === (end - start === 22 ? plus : dot) &&
  from[end - 3] === plus &&
  from[end - 2] === zero &&
  from[end - 1] === zero

/** Of one dimension, and without an element that is quoted, or that may be NULL: that one is not quoted. */
function isPlainList(from: Uint8Array, start: number, end: number): boolean {
  if (from[start] !== brace) return false
  for (let n = start + 1; n < end - 1; n += 1) {
    const byte = from[n] ?? 0
    if (escaped.element[byte] === 1 || (byte === letterN && (n === start + 1 || from[n - 1] === comma))) return false
  }
  return true
}
