import { readFileSync } from 'node:fs'
import pty from '@lydell/node-pty'
import xterm, { type IBufferCell, type IBufferLine } from '@xterm/headless'
import { patience } from './patience.ts'

export interface PtyOptions {
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** Neighbours of a line that look alike. Colours: the number of the palette, or undefined for the terminal's own. */
export interface PaintedText {
  readonly text: string
  /** In columns. */
  readonly width: number
  readonly foreground: number | undefined
  readonly background: number | undefined
  readonly isBold: boolean
  readonly isDim: boolean
  readonly isInverse: boolean
  readonly isUnderlined: boolean
}

export interface Pty {
  /** The window as a person sees it, a line each, without trailing blanks. */
  readonly screen: () => Promise<string>
  /** The same with its colours. */
  readonly painted: () => Promise<readonly (readonly PaintedText[])[]>
  /** The window with what was scrolled out of it. */
  readonly scrollback: () => Promise<string>
  /** Which of the terminal's two screens is shown. */
  readonly buffer: () => Promise<'normal' | 'alternate'>
  /** All bytes that came so far. */
  readonly raw: () => string
  /** Waits for a window with that text, and answers the first since a key, a resize or what was found last; it may be gone. */
  readonly shows: (text: string) => Promise<string>
  /** Waits for a window without that text, and answers it. */
  readonly hides: (text: string) => Promise<string>
  readonly type: (text: string) => void
  readonly resize: (columns: number, rows: number) => void
  /** Closes the terminal, as a window that is closed: the program gets SIGHUP from the system and, as from a shell, once more. */
  readonly hangUp: () => void
  /** Process ids below the one that the terminal started. */
  readonly children: () => readonly number[]
  readonly exit: Promise<{ readonly exitCode: number; readonly signal: number }>
  /** Ends what still runs and frees the terminal. */
  readonly close: () => void
}

/** What a program tells a terminal around a frame (synchronized output, DEC private mode 2026). */
const frameBegins = '\u001b[?2026h'
const frameEnds = '\u001b[?2026l'
/** In milliseconds: what was stopped in the middle of one is looked at as it is. Longer than a machine stands still. */
const longestFrame = 30_000

/** A program in a real pseudo-terminal of its own, its screen modelled by xterm. */
export function startPty(file: string, args: readonly string[], options: PtyOptions = {}): Pty {
  const { columns = 80, rows = 24, env = {}, cwd = process.cwd() } = options
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 1000, allowProposedApi: true })
  // From scratch: CI in the environment of a test run would change what is tested.
  const { PATH = '', HOME = '/' } = process.env
  const base = { PATH, HOME, TERM: 'xterm-256color', LANG: 'C.UTF-8', POSTERN_UPDATE_NOTICE: 'off' }
  const child = pty.spawn(file, [...args], { cols: columns, rows, cwd, env: { ...base, ...env } })
  let raw = ''
  /** Whole windows from the one found last, or since something was done: what came and went while a test stood still was shown. */
  let frames: string[] = []
  const window = () => linesFrom(terminal.buffer.active.viewportY)
  child.onData((data) => {
    let from = raw.length
    raw += data
    // A mark may have come in two pieces.
    for (let mark = from - frameEnds.length; (mark = raw.indexOf(frameEnds, mark + 1)) >= 0; ) {
      const end = mark + frameEnds.length
      const since = frames
      terminal.write(raw.slice(from, end), () => since.push(window()))
      from = end
    }
    terminal.write(raw.slice(from))
  })
  let hasExited = false
  const exit = new Promise<{ exitCode: number; signal: number }>((resolve) => {
    child.onExit(({ exitCode, signal = 0 }) => {
      hasExited = true
      resolve({ exitCode, signal })
    })
  })
  /** A frame may come in pieces: the window is looked at when none is half there. */
  const settled = async () => {
    const end = Date.now() + longestFrame
    const isPainting = () => raw.lastIndexOf(frameBegins) > raw.lastIndexOf(frameEnds)
    let seen: string
    do {
      seen = raw
      await new Promise<void>((resolve) => terminal.write('', resolve))
    } while (!hasExited && Date.now() < end && (seen !== raw || isPainting()))
  }
  const linesFrom = (start: number) =>
    Array.from({ length: terminal.buffer.active.length - start }, (_, line) =>
      terminal.buffer.active.getLine(start + line)?.translateToString(true),
    ).join('\n')
  const screen = async () => {
    await settled()
    return window()
  }
  const wait = async (find: (frame: string) => string | undefined, what: string) => {
    const end = Date.now() + patience
    for (;;) {
      const frame = await screen()
      const found = find(frame)
      if (found !== undefined) return found
      if (Date.now() > end) throw new Error(`${what} in\n${frame}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  /** What was painted in the found one, or after it, may be asked for next. */
  const found = (text: string, frame: string): string | undefined => {
    const at = frames.findIndex((one) => one.includes(text))
    if (at < 0 && !frame.includes(text)) return undefined
    frames.splice(0, at < 0 ? frames.length : at)
    return frames[0] ?? frame
  }
  const without = (text: string, frame: string): string | undefined => {
    if (frame.includes(text)) return undefined
    frames = []
    return frame
  }
  return {
    screen,
    painted: async () => {
      await settled()
      const { active } = terminal.buffer
      return Array.from({ length: terminal.rows }, (_, row) => paintedLine(active.getLine(active.viewportY + row)))
    },
    scrollback: async () => {
      await settled()
      return linesFrom(0)
    },
    buffer: async () => {
      await settled()
      return terminal.buffer.active.type
    },
    raw: () => raw,
    shows: (text) => wait((frame) => found(text, frame), `no "${text}"`),
    hides: (text) => wait((frame) => without(text, frame), `still "${text}"`),
    type: (text) => {
      frames = []
      child.write(text)
    },
    resize: (width, height) => {
      frames = []
      child.resize(width, height)
      terminal.resize(width, height)
    },
    hangUp: () => (child as unknown as { destroy(): void }).destroy(),
    children: () => childrenOf(child.pid),
    exit,
    close: () => {
      for (const pid of [...childrenOf(child.pid), child.pid]) attempt(() => process.kill(pid, 'SIGKILL'))
      terminal.dispose()
    },
  }
}

/** Neighbours that look alike are one; what is blank to the end is left out. */
function paintedLine(line: IBufferLine | undefined): readonly PaintedText[] {
  const cells = Array.from({ length: line?.length ?? 0 }, (_, column) => line?.getCell(column) ?? [])
  const painted = cells
    .flat()
    .filter((cell) => cell.getWidth() > 0)
    .map(paintedCell)
  const end = painted.findLastIndex((cell) => cell.text !== ' ' || cell.background !== undefined || cell.isInverse)
  return painted.slice(0, end + 1).reduce<PaintedText[]>((runs, cell) => {
    const before = runs.at(-1)
    if (!before || !looksLike(before, cell)) return [...runs, cell]
    return runs.with(-1, { ...before, text: before.text + cell.text, width: before.width + cell.width })
  }, [])
}

const paintedCell = (cell: IBufferCell): PaintedText => ({
  text: cell.getChars() || ' ',
  width: cell.getWidth(),
  foreground: cell.isFgDefault() ? undefined : cell.getFgColor(),
  background: cell.isBgDefault() ? undefined : cell.getBgColor(),
  isBold: cell.isBold() > 0,
  isDim: cell.isDim() > 0,
  isInverse: cell.isInverse() > 0,
  isUnderlined: cell.isUnderline() > 0,
})

const looksLike = (one: PaintedText, other: PaintedText): boolean =>
  (['foreground', 'background', 'isBold', 'isDim', 'isInverse', 'isUnderlined'] as const).every(
    (name) => one[name] === other[name],
  )

function childrenOf(pid: number): readonly number[] {
  const text = attempt(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')) ?? ''
  const own = text.split(' ').filter(Boolean).map(Number)
  return [...own, ...own.flatMap(childrenOf)]
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}
