import { maxLine } from '../read-lines.ts'

/** The text of an element of a list, or why it cannot be read. */
export interface JsonElement {
  readonly text?: string
  readonly problem?: 'LINE_TOO_LONG' | 'NOT_UTF8' | 'NOT_JSON'
}

/**
 * Cuts a list out of a JSON document without holding more of it than one element: the list of the field `name`, or the
 * document itself if that is ''.
 */
export async function* readElements(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<JsonElement> {
  const reader = new ElementReader(name)
  for await (const chunk of chunks) yield* reader.push(chunk)
  if (!reader.isWhole) yield { problem: 'NOT_JSON' }
}

const [quote, backslash, comma, colon] = [...Buffer.from('"\\,:')]
const [openList, closeList, openObject, closeObject] = [...Buffer.from('[]{}')]
const isSpace = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13)
/** What some programs write before a text (a byte order mark). */
const mark: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf])
/** Longer than any name of a field that is asked for. */
const maxName = 64

class ElementReader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  readonly #name: string
  /** How deep the list lies, once it began. */
  readonly #listDepth: number
  /** The first byte that says something. */
  #first: number | undefined
  #depth = 0
  #isInString = false
  #isEscaped = false
  #isInList = false
  /** Of the field at the top. */
  #field: number[] = []
  #isNamed = false
  #parts: Buffer[] = []
  #length = 0

  constructor(name: string) {
    this.#name = name
    this.#listDepth = name === '' ? 1 : 2
  }

  /** Anything but JSON, such as text in UTF-16, also has no list. It must not pass for an empty one. */
  get isWhole(): boolean {
    const isDocument = this.#first === openObject || this.#first === openList
    return isDocument && this.#depth === 0 && !this.#isInString
  }

  *push(chunk: Buffer): Generator<JsonElement> {
    this.#first ??= chunk.find((byte) => !isSpace(byte) && !mark.has(byte))
    let from = 0
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0
      if (this.#isInString) this.#inString(byte)
      else if (this.#endsElement(byte)) {
        this.#add(chunk.subarray(from, at))
        yield* this.#take()
        from = at + 1
        if (byte === closeList) this.#close()
      } else if (this.#outside(byte)) from = at + 1
    }
    if (this.#isInList) this.#add(chunk.subarray(from))
  }

  #endsElement(byte: number): boolean {
    return this.#isInList && this.#depth === this.#listDepth && (byte === comma || byte === closeList)
  }

  #inString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === backslash) this.#isEscaped = true
    else if (byte === quote) this.#isInString = false
    if (this.#isInString && this.#depth === 1 && this.#field.length < maxName) this.#field.push(byte)
  }

  /** Returns whether the list begins behind this byte. */
  #outside(byte: number): boolean {
    if (byte === quote) this.#beginString()
    else if (byte === openList || byte === openObject) return this.#open(byte)
    else if (byte === closeList || byte === closeObject) this.#close()
    else if (this.#depth === 1 && byte === colon) this.#isNamed = Buffer.from(this.#field).toString() === this.#name
    else if (this.#depth === 1 && byte === comma) this.#isNamed = false
    return false
  }

  #beginString(): void {
    this.#isInString = true
    if (this.#depth === 1) this.#field = []
  }

  #open(byte: number): boolean {
    this.#depth += 1
    const isMeant = this.#name === '' || this.#isNamed
    if (this.#isInList || byte !== openList || !isMeant || this.#depth !== this.#listDepth) return false
    this.#isInList = true
    return true
  }

  #close(): void {
    if (this.#depth === this.#listDepth) this.#isInList = false
    this.#depth = Math.max(0, this.#depth - 1)
  }

  #add(part: Buffer): void {
    this.#length += part.length
    if (this.#length <= maxLine) this.#parts.push(Buffer.from(part))
    else this.#parts = []
  }

  *#take(): Generator<JsonElement> {
    const [bytes, length] = [Buffer.concat(this.#parts), this.#length]
    this.#parts = []
    this.#length = 0
    if (length > maxLine) yield { problem: 'LINE_TOO_LONG' }
    else if (!bytes.every(isSpace)) yield this.#textOf(bytes)
  }

  #textOf(bytes: Buffer): JsonElement {
    try {
      return { text: this.#decoder.decode(bytes) }
    } catch {
      return { problem: 'NOT_UTF8' }
    }
  }
}
