import { StringDecoder } from 'node:string_decoder'
import type { BrowserTask, Waiting } from '../../flows/waiting.ts'
import { cancelledError } from '../../output/cli-error.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { insert, type TypedLine } from '../../output/typed-line.ts'
import { keepRaw, suspendKey, suspendRaw } from '../../process/suspension.ts'
import { edited, intentInLine } from '../keymap/keymap.ts'
import { type Stroke, splitStrokes } from '../terminal/strokes.ts'

/** The input has ended or the user pressed Ctrl+C. */
export class InputEnded extends Error {
  override readonly name = 'InputEnded'
  readonly isInterrupt: boolean

  constructor(isInterrupt: boolean) {
    super('The input has ended')
    this.isInterrupt = isInterrupt
  }
}

/** The user left the question. */
export class QuestionLeft extends Error {
  override readonly name = 'QuestionLeft'

  constructor() {
    super('The question was left')
  }
}

/** This answer leaves any question. */
export const leaveWord = '.'

const unlessLeft = (answer: string): string => {
  if (answer.trim() === leaveWord) throw new QuestionLeft()
  return answer
}

const lineEnd = /\r\n|[\r\n]/

/** A conversation in lines, which never repaints earlier output. Made for screen readers and Braille displays. */
export class LineTerminal {
  /** What every menu does at the answer of that label, besides its own items. */
  extraAnswer: { readonly label: string; readonly run: () => Promise<void> } | undefined
  readonly #stdin: NodeJS.ReadStream
  readonly #stdout: NodeJS.WriteStream
  readonly #decoder = new StringDecoder('utf8')
  #typed = ''
  /** The question that waits for an answer. */
  #question = ''
  #ended: InputEnded | undefined
  #wake: () => void = () => {}
  #reject: (ended: InputEnded) => void = () => {}
  #isClosed = false
  /** Rejects at Ctrl+C, also while the service is asked. */
  readonly interrupted = new Promise<never>((_, reject) => {
    this.#reject = reject
  })

  constructor({ stdin, stdout }: { readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream }) {
    this.#stdin = stdin
    this.#stdout = stdout
    stdin.on('data', this.#receive)
    stdin.on('end', this.#end)
    process.on('SIGINT', this.#interrupt)
    process.on('SIGCONT', this.#repeat)
    stdin.resume()
  }

  /** Work that is still running afterwards prints nothing. */
  close(): void {
    this.#isClosed = true
    this.#stdin.off('data', this.#receive)
    this.#stdin.off('end', this.#end)
    process.off('SIGINT', this.#interrupt)
    process.off('SIGCONT', this.#repeat)
    this.#stdin.pause()
  }

  say(text = ''): void {
    if (!this.#isClosed) this.#stdout.write(`${escapeControls(text)}\n`)
  }

  /** Drops what was typed and not read yet. */
  forget(): void {
    this.#typed = ''
  }

  async ask(label: string): Promise<string> {
    if (this.#ended) throw this.#ended
    for (;;) {
      this.#put(label)
      const answer = (await this.#line(lineEnd)).replaceAll('\t', ' ')
      this.#question = ''
      if (!/\p{Cc}/u.test(answer)) return unlessLeft(answer).trim()
      this.say('Keys such as arrows cannot edit an answer, only backspace can. Type it again.')
    }
  }

  #put(question: string): void {
    this.#question = `${escapeControls(question)} `
    this.#stdout.write(this.#question)
  }

  /** Waits for an unprompted line. False when the signal is aborted first. */
  async hears(signal: AbortSignal): Promise<boolean> {
    const stop = () => this.#wake()
    signal.addEventListener('abort', stop)
    try {
      for (;;) {
        if (signal.aborted) return false
        if (this.#take(lineEnd) !== undefined) return true
        await this.#more()
      }
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Asks without echo. */
  async askSecret(label: string): Promise<string> {
    // Raw mode before the question, so that an early answer is not echoed either.
    const show = keepRaw(this.#stdin)
    this.#put(`${label} (not shown while you type)`)
    try {
      return unlessLeft(applyKeys(await this.#line(/[\r\n]/)))
    } finally {
      show()
      this.#question = ''
      this.#stdout.write('\n')
    }
  }

  async #line(end: RegExp): Promise<string> {
    for (;;) {
      const line = this.#take(end)
      if (line !== undefined) return line
      await this.#more()
    }
  }

  /** Removes and returns the first complete line of the input, if any. */
  #take(end: RegExp): string | undefined {
    const found = end.exec(this.#typed)
    if (!found) return undefined
    const line = this.#typed.slice(0, found.index)
    this.#typed = this.#typed.slice(found.index + found[0].length)
    return line
  }

  async #more(): Promise<void> {
    if (this.#ended) throw this.#ended
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
  }

  readonly #receive = (chunk: Buffer | string): void => {
    this.#typed += typeof chunk === 'string' ? chunk : this.#decoder.write(chunk)
    if (this.#typed.includes('\u0003')) return this.#interrupt()
    if (this.#stdin.isRaw && this.#typed.includes(suspendKey)) this.#suspend()
    this.#wake()
  }

  /** What was typed before counts after the return. */
  #suspend(): void {
    this.#typed = this.#typed.replaceAll(suspendKey, '')
    this.#stdout.write('\n')
    suspendRaw(this.#stdin)
  }

  readonly #end = (): void => {
    this.#ended ??= new InputEnded(false)
    this.#wake()
  }

  /** After Ctrl+Z and fg, the last lines are those of the shell. */
  readonly #repeat = (): void => {
    this.#stdout.write(this.#question)
  }

  readonly #interrupt = (): void => {
    this.#ended = new InputEnded(true)
    this.#reject(this.#ended)
    this.#wake()
  }
}

/** Applies the keys typed in raw mode to a line of text, since the terminal's line editing is off. */
const applyKeys = (typed: string): string =>
  splitStrokes(typed).strokes.reduce<TypedLine>(lineAfter, { text: '', at: 0 }).text

function lineAfter(line: TypedLine, { text, isPaste }: Stroke): TypedLine {
  const intent = isPaste ? undefined : intentInLine(strokeName(text))
  if (intent) return edited(line, intent) ?? line
  return /^\p{Cc}/u.test(text) ? line : insert(line, text)
}

/** The key's name in the keymap, if it can edit a line. */
function strokeName(text: string): string {
  const [first = ''] = text
  if (first === '\u001b') return sequenceNames[text.slice(1)] ?? `alt-${text.slice(1)}`
  if (first === '\u007f' || first === '\b') return 'backspace'
  return first < ' ' ? `ctrl-${String.fromCharCode(first.charCodeAt(0) + 0x60)}` : ''
}

const sequenceNames: Readonly<Record<string, string>> = { '[D': 'left', '[C': 'right', '[H': 'home', '[F': 'end' }

/** Prints what to do in the browser, then how much time is left. Any line from the user cancels it. */
export async function waitInLines<T>(
  terminal: LineTerminal,
  task: BrowserTask,
  work: (waiting: Waiting) => Promise<T>,
): Promise<T> {
  describe(terminal, task)
  const [leaving, over] = [new AbortController(), new AbortController()]
  const clock = setInterval(() => terminal.say(minutesLeft(task.until)), 60_000)
  const left = new Promise<never>((_, reject) => {
    const leave = (error: unknown) => {
      leaving.abort(error)
      reject(error)
    }
    terminal.hears(over.signal).then((isSaid) => isSaid && leave(cancelledError('Cancelled')), leave)
  })
  try {
    return await Promise.race([work({ signal: leaving.signal, say: sayOnce(terminal) }), left])
  } finally {
    clearInterval(clock)
    over.abort()
  }
}

function describe(terminal: LineTerminal, { title, url, code, opened, until }: BrowserTask): void {
  terminal.say(`${title}.`)
  if (opened) terminal.say(`A page was opened in your browser${opened.code ? `; it shows ${opened.code}` : ''}.`)
  terminal.say(`${opened ? 'Elsewhere, open' : 'Open'} ${url}`)
  if (code !== undefined) terminal.say(`and type ${code}`)
  terminal.say(`${minutesLeft(until)} An empty line cancels.`)
}

function minutesLeft(until: number): string {
  const minutes = Math.round((until - Date.now()) / 60_000)
  if (minutes < 1) return 'Waiting, less than a minute left.'
  return `Waiting, ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} left.`
}

/** Does not repeat an unchanged text. */
function sayOnce(terminal: LineTerminal): Waiting['say'] {
  let last: string | undefined
  return (note) => {
    if (note !== undefined && note !== last) terminal.say(`${note}.`)
    last = note
  }
}
