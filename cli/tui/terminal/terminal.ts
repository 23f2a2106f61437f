import { EventEmitter } from 'node:events'
import { writeSync } from 'node:fs'
import { visible } from '../../output/filter.ts'
import { Keyboard } from './keyboard.ts'

export interface Size {
  readonly columns: number
  readonly rows: number
}

export interface Streams {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Ctrl+C, a signal that ends the process, or an error that nobody caught. */
export type Ending = Signal | Error
export type Signal = (typeof signals)[number]

export interface Terminal {
  readonly keyboard: Keyboard
  readonly canvas: Canvas
  readonly size: () => Size
  /** Gives the terminal back as it was; later calls do nothing. */
  readonly close: () => void
}

/** Alternate screen, cleared; bracketed paste on, and told when the window is looked at. */
const enter = '\u001b[?1049h\u001b[2J\u001b[H\u001b[?2004h\u001b[?1004h'
/** All that we or Ink may have switched on, off: synchronized output, focus, paste, the screen, the hidden cursor, colours. */
const leave = '\u001b[?2026l\u001b[?1004l\u001b[?2004l\u001b[?1049l\u001b[?25h\u001b[0m'
const clear = '\u001b[2J\u001b[H'

/**
 * Takes the terminal over, and gives it back whatever ends the process: close, a signal, an exit, an uncaught error.
 * After a resize `onResize` runs on a cleared screen, before Ink hears of it.
 */
export function openTerminal(
  { stdin, stdout }: Streams,
  onEnd: (ending: Ending) => void,
  onResize: () => void,
): Terminal {
  const keyboard = new Keyboard(stdin, () => onEnd('SIGINT'))
  const canvas = new Canvas(stdout)
  const resized = () => {
    canvas.write(clear)
    onResize()
    canvas.emit('resize')
  }
  const gone = () => onEnd('SIGHUP')
  const disarm = armExits(() => close(), onEnd)
  const close = once(() => {
    disarm()
    canvas.close()
    stdout.off('resize', resized)
    say(stdout, leave)
    attempt(() => keyboard.stop())
  })
  stdout.on('resize', resized)
  // A window that was closed: writes fail, reads end. Without a listener the failure would be thrown.
  stdout.on('error', gone)
  stdin.once('end', gone)
  say(stdout, enter)
  keyboard.start()
  return { keyboard, canvas, close, size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }) }
}

/** Calls `close` before the process ends in any way; answers how to take that back. */
function armExits(close: () => void, onEnd: (ending: Ending) => void): () => void {
  const handlers = signals.map((signal) => [signal, () => endBy(signal)] as const)
  const disarm = () => {
    process.off('exit', close)
    process.off('uncaughtException', failed)
    for (const [signal, handler] of handlers) process.off(signal, handler)
  }
  const failed = (error: Error) => {
    close()
    onEnd(error)
  }
  const endBy = (signal: Signal) => {
    close()
    onEnd(signal)
    // Sent again with nobody of ours listening: the process ends as the sender expects it to.
    process.kill(process.pid, signal)
  }
  process.once('exit', close)
  // Rejections that nobody caught come here too.
  process.on('uncaughtException', failed)
  for (const [signal, handler] of handlers) process.once(signal, handler)
  return disarm
}

/** Written at once: on the way out there is no later. */
function say(stdout: NodeJS.WriteStream, text: string): void {
  const fd: unknown = Reflect.get(stdout, 'fd')
  attempt(() => (typeof fd === 'number' ? writeSync(fd, text) : stdout.write(text)))
}

function attempt(action: () => unknown): void {
  try {
    action()
  } catch {
    // The terminal is gone already; there is nothing left to give back.
  }
}

function once(action: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    action()
  }
}

/**
 * The terminal's output for Ink. It tells no height: Ink would answer a frame that was taller than a window just made
 * smaller by wiping the scrollback. Closed, it swallows what Ink still paints while it unmounts.
 */
class Canvas extends EventEmitter {
  readonly isTTY = true
  readonly rows = Number.MAX_SAFE_INTEGER
  readonly #stdout: NodeJS.WriteStream
  #isOpen = true

  constructor(stdout: NodeJS.WriteStream) {
    super()
    this.#stdout = stdout
  }

  get columns(): number {
    return this.#stdout.columns || 80
  }

  write(text: string): boolean {
    return this.#isOpen ? this.#stdout.write(text) : true
  }

  close(): void {
    this.#isOpen = false
  }
}

/** Longest text, in characters: terminals drop larger clipboard sequences. */
const maxLength = 8192

/** OSC 52: the terminal puts the text on the clipboard. Only text that a person could read is put there. */
export const clipboardSequence = (text: string): string =>
  `\u001b]52;c;${Buffer.from(visible(text).slice(0, maxLength)).toString('base64')}\u0007`
