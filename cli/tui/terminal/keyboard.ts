import { EventEmitter, once } from 'node:events'
import { StringDecoder } from 'node:string_decoder'
import { suspendKey } from '../../process/suspension.ts'
import { isMouse, parseMouse } from './mouse.ts'
import { escapeKey, focusIn, focusOut, interruptKey, pasteStart, type Stroke, splitStrokes } from './strokes.ts'

/** Milliseconds to wait for the rest of an escape sequence. After that, a lone escape is a key. */
const escapeDelay = 30
/** Turns of the event loop to wait when no painter is registered. */
const turnsToSettle = 3
/** In characters. The start of a longer paste is dropped. */
const maxPaste = 1_000_000

/**
 * The terminal's input for Ink, one stroke per read, so that typed keys never arrive in bundles and a paste is never
 * taken for keys. Ink's counting of raw-mode users is left out on purpose, since a change of screens would switch raw
 * mode off and on.
 */
export class Keyboard extends EventEmitter {
  readonly isTTY = true
  /** Whether the current stroke was pasted. */
  isPasting = false
  /** Terminals that do not report their focus count as focused. */
  #isFocused = true
  readonly #stdin: NodeJS.ReadStream
  readonly #interrupt: () => void
  readonly #suspend: () => void
  readonly #decoder = new StringDecoder('utf8')
  readonly #queue: Stroke[] = []
  /** The stroke being handled. */
  #current: Stroke | undefined
  /** Whether the queue waits for data instead of painting. */
  #isHeld = false
  /** Strokes held back because they were typed before their data was loaded. */
  #unseen: ReadonlySet<Stroke> = new Set()
  #paint: ((asked: number) => void) | undefined
  /** Number of the last paint request, and whether it is pending. */
  #asked = 0
  #isWaiting = false
  #turnsLeft = 0
  /** Text fields that listen. */
  #fields = 0
  #rest = ''
  #timer: NodeJS.Timeout | undefined

  constructor(stdin: NodeJS.ReadStream, interrupt: () => void, suspend = () => {}) {
    super()
    this.#stdin = stdin
    this.#interrupt = interrupt
    this.#suspend = suspend
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

  /** Resolves at once, or as soon as the terminal gets the focus. Rejects when the signal is aborted. */
  async whenFocused(signal: AbortSignal): Promise<void> {
    while (!this.#isFocused) await once(this, 'focus', { signal })
  }

  /**
   * Returns one stroke, then none until the screen that it opens is listening, so that a quick `D` `y` reaches two
   * screens.
   */
  read(): string | null {
    const stroke = this.#nextKey()
    this.#current = stroke ?? this.#current
    this.isPasting = stroke?.isPaste ?? false
    if (stroke) this.#wait()
    return stroke?.text ?? null
  }

  /** Whether all input has been handled and its effect painted. */
  get isIdle(): boolean {
    return this.#queue.length === 0 && this.#rest === '' && !this.#isWaiting
  }

  /**
   * Registers a painter. Before each stroke it is called with a number, and `painted` with that number releases the
   * stroke: only React knows when the last change is painted and its listeners are attached, which takes any number of
   * turns on a busy machine. Returns a function that removes the painter.
   */
  paintWith(paint: (asked: number) => void): () => void {
    this.#paint = paint
    if (this.#isWaiting) this.#wait()
    return () => {
      this.#paint = undefined
      if (this.#isWaiting) this.#wait()
    }
  }

  /**
   * A text field listens until the returned function is called. Letters that wait are one stroke for it: a long text that
   * a terminal pastes without brackets is not painted letter by letter.
   */
  joinLetters(): () => void {
    this.#fields += 1
    return () => {
      this.#fields -= 1
    }
  }

  painted(asked: number): void {
    // Right after the effects of this commit, before the next paint.
    queueMicrotask(() => this.#offer(asked))
  }

  /** Holds back the current stroke and all later ones until `release`. Escape drops them. */
  hold(): void {
    if (this.#current) this.#queue.unshift(this.#current)
    this.#isHeld = true
    this.#forgetMouse()
    this.#letGo()
  }

  /** Splits the current Alt key into Escape and the other key, since Alt means nothing here. */
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

  /** Drops strokes typed before a question was visible. Only strokes typed after that may answer it. */
  forgetUnseen(): void {
    const seen = this.#queue.filter((stroke) => !this.#unseen.has(stroke))
    this.#queue.splice(0, this.#queue.length, ...seen)
  }

  /** Drops all strokes that were typed and not handled yet. */
  forgetAll(): void {
    this.#queue.splice(0)
    this.release()
  }

  /** Drops strokes typed for data that never came, whether they still wait or were just released. */
  forgetHeld(): void {
    if (this.#isHeld) this.#queue.length = 0
    this.#isHeld = false
    this.forgetUnseen()
  }

  /** Delivers strokes that came while nothing listened. */
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
    // The end of a paste can be lost with its connection. Read alone, Ctrl+C was typed.
    if (text === interruptKey && this.#rest.startsWith(pasteStart)) return this.#interrupt()
    const { strokes, rest } = splitStrokes(this.#rest + text)
    this.#rest = rest.length > maxPaste ? shorterPaste(rest) : rest
    this.#push(strokes)
    if (this.#rest && !this.#rest.startsWith(pasteStart)) this.#timer = setTimeout(this.#giveUp, escapeDelay)
  }

  /** Nothing followed, so it was the Escape key, or an incomplete sequence to ignore. */
  readonly #giveUp = (): void => {
    const isEscape = this.#rest === '\u001b'
    this.#rest = ''
    if (isEscape) this.#push([{ text: escapeKey, isPaste: false }])
  }

  #push(strokes: readonly Stroke[]): void {
    const [isInterrupt, isSuspend] = [isTyped(interruptKey), isTyped(suspendKey)]
    if (strokes.some(isInterrupt)) return this.#interrupt()
    if (strokes.some(isSuspend)) this.#suspend()
    this.#queue.push(...strokes.filter((stroke) => !this.#isFocus(stroke) && !isSuspend(stroke)))
    if (this.#isHeld) {
      this.#forgetMouse()
      this.#letGo()
    }
    if (!this.#isWaiting) this.#wait()
  }

  /** Focus reports are not keys. Listeners of `focus` hear of them at once. */
  #isFocus({ text, isPaste }: Stroke): boolean {
    if (isPaste || (text !== focusIn && text !== focusOut)) return false
    this.#isFocused = text === focusIn
    this.emit('focus', this.#isFocused)
    return true
  }

  #nextKey(): Stroke | undefined {
    const [next] = this.#queue
    if (!next || this.#isWaiting || this.#isHeld || isMouseStroke(next)) return undefined
    const end = this.#fields > 0 ? this.#queue.findIndex((stroke) => !isLetter(stroke)) : 1
    const strokes = this.#queue.splice(0, end < 0 ? this.#queue.length : Math.max(1, end))
    return strokes.length === 1 ? next : { text: strokes.map(({ text }) => text).join(''), isPaste: true }
  }

  /** While data is loading, a click would land on what the user has not seen. */
  #forgetMouse(): void {
    const keys = this.#queue.filter((stroke) => !isMouseStroke(stroke))
    this.#queue.splice(0, this.#queue.length, ...keys)
  }

  /** Escape drops the keys typed before it and releases the queue. */
  #letGo(): void {
    const escape = this.#queue.findLastIndex(({ text }) => text === escapeKey)
    if (escape < 0) return
    this.#queue.splice(0, escape)
    this.#isHeld = false
  }

  /** Requests a paint, after which the queue is offered. */
  #wait(): void {
    this.#isWaiting = true
    this.#asked += 1
    const [asked, paint] = [this.#asked, this.#paint]
    // Deferred, because the reader of the current stroke changes state only after this returns.
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
    const [next] = this.#queue
    if (!next || this.#isHeld) return
    if (isMouseStroke(next)) this.#point()
    else this.emit('readable')
  }

  /** Listeners of `mouse` get the report. The next stroke waits until its effect is painted. */
  #point(): void {
    const report = parseMouse(this.#queue.shift()?.text ?? '')
    this.#wait()
    if (report) this.emit('mouse', report)
  }
}

const isTyped =
  (key: string) =>
  ({ text, isPaste }: Stroke): boolean =>
    !isPaste && text === key

const isLetter = ({ text, isPaste }: Stroke): boolean => !isPaste && !/\p{Cc}/u.test(text)

const isMouseStroke = ({ text, isPaste }: Stroke): boolean => !isPaste && isMouse(text)

/** The rest still belongs to the paste, not to keys. The last characters may begin the end marker. */
const shorterPaste = (rest: string): string => (rest.startsWith(pasteStart) ? pasteStart + rest.slice(-5) : '')
