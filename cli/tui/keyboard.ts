import { EventEmitter } from 'node:events'
import { StringDecoder } from 'node:string_decoder'
import { escapeKey, interruptKey, type Stroke, splitStrokes } from './strokes.ts'

/** How long the rest of an escape sequence may take; a lone escape is a key after that. In milliseconds. */
const escapeDelay = 30
/** Turns of the event loop in which React renders, commits and lets new listeners in. */
const turnsToSettle = 3
/** A paste that is never closed is dropped beyond this. In characters. */
const longestPaste = 1_000_000

/**
 * The terminal's input for Ink, one stroke a read: typed keys never arrive in bundles and a paste is never taken for
 * keys. Ink's raw-mode counting is left out on purpose, since a screen change would switch it off and on.
 */
export class Keyboard extends EventEmitter {
  readonly isTTY = true
  /** Whether the stroke that is being handled now was pasted. */
  isPasting = false
  readonly #stdin: NodeJS.ReadStream
  readonly #interrupt: () => void
  readonly #decoder = new StringDecoder('utf8')
  readonly #queue: Stroke[] = []
  #turnsLeft = 0
  #rest = ''
  #timer: NodeJS.Timeout | undefined

  constructor(stdin: NodeJS.ReadStream, interrupt: () => void) {
    super()
    this.#stdin = stdin
    this.#interrupt = interrupt
  }

  start(): void {
    this.#stdin.setRawMode(true)
    this.#stdin.on('data', this.#take)
    this.#stdin.resume()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#stdin.off('data', this.#take)
    this.#stdin.pause()
    this.#stdin.setRawMode(false)
  }

  /** One stroke, then nothing until the screen that it leads to listens: `D` and `y` typed at once reach two screens. */
  read(): string | null {
    const stroke = this.#turnsLeft === 0 ? this.#queue.shift() : undefined
    this.isPasting = stroke?.isPaste ?? false
    if (stroke) this.#settle()
    return stroke?.text ?? null
  }

  /** Strokes that came while nothing listened are not lost. */
  override addListener(event: string, listener: (...values: unknown[]) => void): this {
    super.addListener(event, listener)
    this.#settle()
    return this
  }

  setEncoding(): this {
    return this
  }

  setRawMode(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  readonly #take = (chunk: Buffer | string): void => {
    clearTimeout(this.#timer)
    const text = typeof chunk === 'string' ? chunk : this.#decoder.write(chunk)
    const { strokes, rest } = splitStrokes(this.#rest + text)
    this.#rest = rest.length > longestPaste ? '' : rest
    this.#push(strokes)
    if (this.#rest && !this.#rest.startsWith('\u001b[200~')) this.#timer = setTimeout(this.#giveUp, escapeDelay)
  }

  /** Nothing followed: it was the escape key, or half of a sequence that means nothing. */
  readonly #giveUp = (): void => {
    const isEscape = this.#rest === '\u001b'
    this.#rest = ''
    if (isEscape) this.#push([{ text: escapeKey, isPaste: false }])
  }

  #push(strokes: readonly Stroke[]): void {
    if (strokes.some((stroke) => !stroke.isPaste && stroke.text === interruptKey)) return this.#interrupt()
    this.#queue.push(...strokes)
    if (this.#turnsLeft === 0) this.#settle()
  }

  /** Waits anew, then offers what is queued. */
  #settle(): void {
    const isTicking = this.#turnsLeft > 0
    this.#turnsLeft = turnsToSettle
    if (!isTicking) setImmediate(this.#tick)
  }

  readonly #tick = (): void => {
    this.#turnsLeft -= 1
    if (this.#turnsLeft > 0) setImmediate(this.#tick)
    else if (this.#queue.length > 0) this.emit('readable')
  }
}
