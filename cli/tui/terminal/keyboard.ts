import { EventEmitter, once } from 'node:events'
import { StringDecoder } from 'node:string_decoder'
import { escapeKey, focusIn, focusOut, interruptKey, pasteStart, type Stroke, splitStrokes } from './strokes.ts'

/** How long the rest of an escape sequence may take; a lone escape is a key after that. In milliseconds. */
const escapeDelay = 30
/** Turns of the event loop that a program without a painter is given. */
const turnsToSettle = 3
/** The start of a paste is dropped beyond this. In characters. */
const maxPaste = 1_000_000

/**
 * The terminal's input for Ink, one stroke a read: typed keys never arrive in bundles and a paste is never taken for
 * keys. Ink's raw-mode counting is left out on purpose, since a screen change would switch it off and on.
 */
export class Keyboard extends EventEmitter {
  readonly isTTY = true
  /** Whether the stroke that is being handled now was pasted. */
  isPasting = false
  /** Terminals that do not tell whether they are looked at are taken as looked at. */
  #isFocused = true
  readonly #stdin: NodeJS.ReadStream
  readonly #interrupt: () => void
  readonly #decoder = new StringDecoder('utf8')
  readonly #queue: Stroke[] = []
  /** The one that is being handled now. */
  #current: Stroke | undefined
  /** Whether what is queued waits for something else than a painter. */
  #isHeld = false
  /** Those that waited so: typed before what they are about was there. */
  #unseen: ReadonlySet<Stroke> = new Set()
  #paint: ((asked: number) => void) | undefined
  /** How often it was waited, and whether it still is. */
  #asked = 0
  #isWaiting = false
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

  /** At once while the terminal is looked at, else when it is again. Rejects when the signal is aborted. */
  async whenFocused(signal: AbortSignal): Promise<void> {
    while (!this.#isFocused) await once(this, 'focus', { signal })
  }

  /** One stroke, then nothing until the screen that it leads to listens: `D` and `y` typed at once reach two screens. */
  read(): string | null {
    const stroke = this.#isWaiting || this.#isHeld ? undefined : this.#queue.shift()
    this.#current = stroke ?? this.#current
    this.isPasting = stroke?.isPaste ?? false
    if (stroke) this.#wait()
    return stroke?.text ?? null
  }

  /** Whether all that was typed is given, and what it led to is painted. */
  get isIdle(): boolean {
    return this.#queue.length === 0 && this.#rest === '' && !this.#isWaiting
  }

  /**
   * Before each stroke `paint` is called with a number, and `painted` with that number lets the stroke through: only React
   * knows when it has painted what came before and listens; on a busy machine that takes it any number of turns. Returns
   * what ends it.
   */
  paintWith(paint: (asked: number) => void): () => void {
    this.#paint = paint
    if (this.#isWaiting) this.#wait()
    return () => {
      this.#paint = undefined
      if (this.#isWaiting) this.#wait()
    }
  }

  painted(asked: number): void {
    // At once after the effects that this is one of: before anything else is painted.
    queueMicrotask(() => this.#offer(asked))
  }

  /** The stroke that is being handled comes too early: it and all that is typed after it wait for `release`. Escape drops them. */
  hold(): void {
    if (this.#current) this.#queue.unshift(this.#current)
    this.#isHeld = true
    this.#letGo()
  }

  /** The stroke that is being handled, a key with Alt, means nothing here: it is the escape key and another one. */
  comeApart(): void {
    const { text = '' } = this.#current ?? {}
    this.#queue.unshift({ text: escapeKey, isPaste: false }, { text: text.slice(1), isPaste: false })
  }

  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#unseen = new Set(this.#queue)
    if (!this.#isWaiting) this.#wait()
  }

  /** Whoever answers a question has seen what it is about: what was typed before that was there is dropped. */
  forgetUnseen(): void {
    const seen = this.#queue.filter((stroke) => !this.#unseen.has(stroke))
    this.#queue.splice(0, this.#queue.length, ...seen)
  }

  /** Strokes that came while nothing listened are not lost. */
  override addListener(event: string, listener: (...values: unknown[]) => void): this {
    super.addListener(event, listener)
    this.#wait()
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
    this.#rest = rest.length > maxPaste ? shorterPaste(rest) : rest
    this.#push(strokes)
    if (this.#rest && !this.#rest.startsWith(pasteStart)) this.#timer = setTimeout(this.#giveUp, escapeDelay)
  }

  /** Nothing followed: it was the escape key, or half of a sequence that means nothing. */
  readonly #giveUp = (): void => {
    const isEscape = this.#rest === '\u001b'
    this.#rest = ''
    if (isEscape) this.#push([{ text: escapeKey, isPaste: false }])
  }

  #push(strokes: readonly Stroke[]): void {
    if (strokes.some((stroke) => !stroke.isPaste && stroke.text === interruptKey)) return this.#interrupt()
    this.#queue.push(...strokes.filter((stroke) => !this.#isFocus(stroke)))
    if (this.#isHeld) this.#letGo()
    if (!this.#isWaiting) this.#wait()
  }

  /** No key: whoever listens to `focus` is told at once. */
  #isFocus({ text, isPaste }: Stroke): boolean {
    if (isPaste || (text !== focusIn && text !== focusOut)) return false
    this.#isFocused = text === focusIn
    this.emit('focus', this.#isFocused)
    return true
  }

  /** What was typed before an escape is not waited for. */
  #letGo(): void {
    const escape = this.#queue.findLastIndex(({ text }) => text === escapeKey)
    if (escape < 0) return
    this.#queue.splice(0, escape)
    this.#isHeld = false
  }

  /** Waits anew until all is painted, then offers what is queued. */
  #wait(): void {
    this.#isWaiting = true
    this.#asked += 1
    const [asked, paint] = [this.#asked, this.#paint]
    // Not at once: whatever takes the stroke that is being read changes things only then.
    if (paint) return queueMicrotask(() => paint(asked))
    const isTicking = this.#turnsLeft > 0
    this.#turnsLeft = turnsToSettle
    if (!isTicking) setImmediate(this.#tick)
  }

  readonly #tick = (): void => {
    this.#turnsLeft -= 1
    if (this.#turnsLeft > 0) setImmediate(this.#tick)
    else if (!this.#paint) this.#offer(this.#asked)
  }

  #offer(asked: number): void {
    if (asked !== this.#asked) return
    this.#isWaiting = false
    if (this.#queue.length > 0 && !this.#isHeld) this.emit('readable')
  }
}

/** What follows is of the paste still, and no key; its end may have begun. */
const shorterPaste = (rest: string): string => (rest.startsWith(pasteStart) ? pasteStart + rest.slice(-5) : '')
