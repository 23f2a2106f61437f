import { EventEmitter } from 'node:events'
import { writeSync } from 'node:fs'
import { escapeControls } from '../../output/escape-controls.ts'
import { interruptible } from '../../process/interruptible.ts'
import { stopJob } from '../../process/suspension.ts'
import { Keyboard } from './keyboard.ts'
import { mouseOff, mouseOn } from './mouse.ts'

export interface Size {
  readonly columns: number
  readonly rows: number
}

interface Streams {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly environment: { readonly hasMouse: boolean }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Ctrl+C, a signal, or an uncaught error. */
export type ExitCause = Signal | Error
export type Signal = (typeof signals)[number]

export interface Terminal {
  readonly keyboard: Keyboard
  readonly canvas: Canvas
  readonly size: () => Size
  /** Restores the terminal. Later calls do nothing. */
  readonly close: () => void
}

/**
 * Switches to a cleared alternate screen, turns on bracketed paste and focus reports, and hides the cursor, which Ink
 * does only once.
 */
const enter = '\u001b[?1049h\u001b[2J\u001b[H\u001b[?2004h\u001b[?1004h\u001b[?25l'
/**
 * Turns off everything that this program or Ink may have switched on: synchronized output, the mouse, focus reports,
 * bracketed paste, alternate screen, hidden cursor, colours.
 */
const leave = `\u001b[?2026l${mouseOff}\u001b[?1004l\u001b[?2004l\u001b[?1049l\u001b[?25h\u001b[0m`
const clear = '\u001b[2J\u001b[H'

/**
 * Takes over the terminal and restores it however the process ends: by close, a signal, an exit or an uncaught error.
 * After a resize, `onResize` runs on a cleared screen before Ink is notified.
 */
export function openTerminal(
  { stdin, stdout, environment }: Streams,
  onEnd: (ending: ExitCause) => void,
  onResize: () => void,
): Terminal {
  const keyboard = new Keyboard(
    stdin,
    () => onEnd('SIGINT'),
    () => job.suspend(),
  )
  const canvas = new Canvas(stdout)
  const resized = () => {
    canvas.write(clear)
    onResize()
    canvas.repaint()
  }
  const job = jobOf({ stdout, environment, keyboard }, resized)
  const gone = () => onEnd('SIGHUP')
  const disarm = armExits(() => close(), onEnd)
  const close = once(() => {
    disarm()
    canvas.close()
    stdout.off('resize', resized)
    job.listen('off')
    writeNow(stdout, leave)
    attempt(() => keyboard.stop())
  })
  stdout.on('resize', resized)
  // When the window is closed, writes fail and reads end. Without a listener the error would be thrown.
  stdout.on('error', gone)
  stdin.once('end', gone)
  job.takeOver()
  job.listen('on')
  return { keyboard, canvas, close, size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }) }
}

/** Calls `close` before the process ends in any way. Returns a function that removes the handlers. */
function armExits(close: () => void, onEnd: (ending: ExitCause) => void): () => void {
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
    // Sends the signal again without our handlers, so that the process ends as the sender expects.
    process.kill(process.pid, signal)
  }
  process.once('exit', close)
  // Unhandled rejections arrive here too.
  process.on('uncaughtException', failed)
  for (const [signal, handler] of handlers) process.once(signal, handler)
  return disarm
}

interface JobTerminal extends Pick<Streams, 'stdout' | 'environment'> {
  readonly keyboard: Keyboard
}

/** Gives the terminal back to the shell while this job is stopped. */
function jobOf({ stdout, environment, keyboard }: JobTerminal, repaint: () => void) {
  const takeOver = () => {
    // In the background, this stops the job until it may have the terminal. A write would reach the shell's screen.
    keyboard.start()
    writeNow(stdout, environment.hasMouse ? enter + mouseOn : enter)
  }
  /** Without handlers the signals stop, continue and end the job, which goes on here when it may have the terminal. */
  const comeBack = (stop: () => void) => {
    listen('off')
    interruptible(() => {
      stop()
      takeOver()
    })
    listen('on')
    repaint()
  }
  // Also after a stop by another program: the shell has changed the terminal meanwhile.
  const resume = () => comeBack(() => keyboard.stop())
  // Goes on at once where nobody could continue the job.
  const suspend = () => {
    writeNow(stdout, leave)
    keyboard.stop()
    comeBack(stopJob)
  }
  const listen = (change: 'on' | 'off') => {
    process[change]('SIGCONT', resume)
    process[change]('SIGTSTP', suspend)
  }
  return { takeOver, listen, suspend }
}

/** Synchronous, since pending writes are lost when the process exits. */
function writeNow(stdout: NodeJS.WriteStream, text: string): void {
  const fd: unknown = Reflect.get(stdout, 'fd')
  attempt(() => (typeof fd === 'number' ? writeSync(fd, text) : stdout.write(text)))
}

function attempt(action: () => unknown): void {
  try {
    action()
  } catch {
    // The terminal is gone, so there is nothing to restore.
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
 * The terminal's output for Ink. Its height is unlimited: when a resize makes the window smaller than the frame, Ink
 * would otherwise clear the scrollback. Once closed, it ignores what Ink paints while unmounting.
 */
class Canvas extends EventEmitter {
  readonly isTTY = true
  readonly rows = Number.MAX_SAFE_INTEGER
  readonly #stdout: NodeJS.WriteStream
  #isOpen = true
  /** Until Ink erases its last frame, the window seems to have become narrower. */
  #isShrunk = false

  constructor(stdout: NodeJS.WriteStream) {
    super()
    this.#stdout = stdout
  }

  get columns(): number {
    return this.#isShrunk ? 1 : this.#stdout.columns || 80
  }

  /**
   * Paints a cleared screen again. Ink does not write the same frame twice, and forgets the last one only when the window
   * becomes narrower. The second event tells it the real width.
   */
  repaint(): void {
    this.#isShrunk = true
    this.emit('resize')
    this.#isShrunk = false
    this.emit('resize')
  }

  write(text: string): boolean {
    this.#isShrunk = false
    return this.#isOpen ? this.#stdout.write(text) : true
  }

  close(): void {
    this.#isOpen = false
  }
}

/** In characters. Terminals drop longer clipboard sequences. */
const maxLength = 8192

/**
 * The OSC 52 sequence that copies text. Control characters are made visible first. Undefined for a longer text: a part of
 * it, such as half a command, would do something else.
 */
export function clipboardSequence(text: string): string | undefined {
  const shown = escapeControls(text)
  return shown.length > maxLength ? undefined : `\u001b]52;c;${Buffer.from(shown).toString('base64')}\u0007`
}
