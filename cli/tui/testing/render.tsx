import { EventEmitter } from 'node:events'
import { tmpdir } from 'node:os'
import { Box, type DOMElement, render } from 'ink'
import { createContext } from '../../context.ts'
import { patience } from '../../testing/patience.ts'
import type { Runner } from '../../testing/run-cli.ts'
import { createTuiPorts } from '../../tui-ports.ts'
import { App } from '../app.tsx'
import { KeymapContext } from '../hooks/use-keymap.ts'
import { SizeContext } from '../hooks/use-size.ts'
import type { NumberedScreen } from '../keymap/names.ts'
import { keymapWith } from '../keymap/remap.ts'
import type { TuiPorts } from '../ports.ts'
import { AppStore } from '../state/app-store.ts'
import { Keyboard } from '../terminal/keyboard.ts'
import { clipboardSequence, type Size } from '../terminal/terminal.ts'
import { overpainted } from './overpainted.ts'

export interface RenderOptions {
  readonly screen?: NumberedScreen
  readonly isReadOnly?: boolean
  readonly size?: Size
  /** Replaces the pause by the clock. */
  readonly pause?: TuiPorts['pause']
  /** Called with each frame as soon as there is one, before its effects. */
  readonly onFrame?: (frame: string) => void
}

export interface Screen {
  readonly copied: readonly string[]
  readonly store: AppStore
  /** The last frame. */
  readonly frame: () => string
  /** Waits for a frame with that text and returns it. */
  readonly shows: (text: string) => Promise<string>
  /** Waits for a frame without that text and returns it. */
  readonly hides: (text: string) => Promise<string>
  /** Waits until all typed keys have taken effect. */
  readonly settled: () => Promise<void>
  /** Types characters and keys, as a terminal sends them. */
  press(...keys: readonly (keyof typeof keyBytes | (string & {}))[]): void
  readonly resize: (size: Size) => void
  /** The texts of the last frame that are painted over one another. */
  readonly overpainted: () => readonly string[]
  /** How the program ended, if it did. */
  readonly ended: () => 'quit' | 'interrupted' | undefined
  readonly close: () => void
}

const keyBytes = {
  up: '\u001b[A',
  down: '\u001b[B',
  left: '\u001b[D',
  right: '\u001b[C',
  enter: '\r',
  esc: '\u001b',
  tab: '\t',
  backspace: '\u007f',
  space: ' ',
} as const

type Streams = Pick<TuiPorts, 'stdin' | 'stdout'>

/** The ports of the terminal UI for a machine's files and service. */
export const portsOn = ({ env }: Runner, streams: Streams): TuiPorts =>
  createTuiPorts(
    createContext({
      ...streams,
      env,
      cwd: tmpdir(),
      stderr: process.stderr,
      now: Date.now,
      signal: new AbortController().signal,
    }),
  )

/** Renders the whole terminal UI of a machine in this process. */
export function renderTui(machine: Runner, options: RenderOptions = {}): Screen {
  const { screen = 'home', isReadOnly = false } = options
  const stdin = Object.assign(new EventEmitter(), {
    setRawMode: () => {},
    resume: () => {},
    pause: () => {},
  }) as unknown as NodeJS.ReadStream
  let size = options.size ?? { columns: 100, rows: 24 }
  let frame = ''
  let ending: 'quit' | 'interrupted' | undefined
  const stdout = Object.defineProperty(
    Object.assign(new EventEmitter(), { write: (text: string) => void (frame = text) }),
    'columns',
    { get: () => size.columns },
  ) as unknown as NodeJS.WriteStream
  const copied: string[] = []
  const keyboard = new Keyboard(stdin, () => (ending = 'interrupted'))
  const own = portsOn(machine, { stdin, stdout })
  const ports = { ...own, pause: options.pause ?? own.pause }
  const store = new AppStore(ports)
  const keymap = keymapWith(ports.environment.keys)
  const { onFrame } = options
  const painter = paintWhenAsked(onFrame && (() => onFrame(look())))
  const look = () => {
    painter.paint()
    return frame
  }
  const lookWhenCalm = () => (painter.hasJustMoved() ? undefined : look())
  const tree = () => (
    <KeymapContext.Provider value={keymap}>
      <SizeContext.Provider value={size}>
        <Box display="none" ref={painter.attach} />
        <App
          store={store}
          screen={screen}
          isReadOnly={isReadOnly}
          copy={(text) => clipboardSequence(text) !== undefined && copied.push(text) > 0}
          onQuit={() => (ending = 'quit')}
        />
      </SizeContext.Provider>
    </KeymapContext.Provider>
  )
  keyboard.start()
  const app = render(tree(), {
    stdin: keyboard as unknown as NodeJS.ReadStream,
    stdout,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  })
  return {
    copied,
    store,
    frame: look,
    shows: (text) =>
      until(
        () => (lookWhenCalm()?.includes(text) ? frame : undefined),
        () => `no "${text}" in\n${frame}`,
      ),
    hides: (text) =>
      until(
        () => (lookWhenCalm()?.includes(text) === false ? frame : undefined),
        () => `still "${text}" in\n${frame}`,
      ),
    settled: () =>
      until(
        () => keyboard.isIdle || undefined,
        () => `keys still wait at\n${look()}`,
      ).then(() => {}),
    press: (...keys) => {
      for (const key of keys)
        stdin.emit('data', Object.hasOwn(keyBytes, key) ? keyBytes[key as keyof typeof keyBytes] : key)
    },
    resize: (next) => {
      size = next
      app.rerender(tree())
    },
    overpainted: () => {
      look()
      return painter.faults()
    },
    ended: () => ending,
    close: () => {
      keyboard.stop()
      app.unmount()
      ports.close()
    },
  }
}

/** How often a test that waits looks away from what moves all the time. */
const looksAway = 4

/**
 * Makes Ink paint only when a test looks at the frame. Without a terminal, Ink would paint after every change, which
 * takes longer than the rest of a test.
 */
function paintWhenAsked(onChange?: () => void) {
  let paintFrame: (() => void) | undefined
  let top: DOMElement | undefined
  let isStale = false
  let hasMoved = false
  let times = 0
  return {
    /** A ref for the top element, whose parent is the root that Ink paints. */
    attach: (node: DOMElement | null) => {
      const root = node?.parentNode
      if (!root || paintFrame) return
      paintFrame = root.onRender
      top = root
      root.onRender = () => {
        isStale = true
        hasMoved = true
        onChange?.()
      }
    },
    /** Whether it changed since this was asked last: to paint every step on the way to a frame takes three times as much. */
    hasJustMoved: () => {
      times = hasMoved && times < looksAway ? times + 1 : 0
      hasMoved = false
      return times > 0
    },
    faults: () => (top ? overpainted(top) : []),
    paint: () => {
      if (!isStale) return
      isStale = false
      paintFrame?.()
    },
  }
}

/** A frame as running text, with wrapped lines joined. When an overlay is shown, only its text. */
export function unfolded(frame: string): string {
  const inBox = frame.split('\n').flatMap((line) => /│(.*)│/.exec(line)?.[1] ?? [])
  return (inBox.length > 0 ? inBox.join(' ') : frame).replaceAll(/\s+/g, ' ')
}

/** Polls every few milliseconds until `find` returns a value. */
async function until<T>(find: () => T | undefined, explain: () => string): Promise<T> {
  const end = Date.now() + patience
  for (;;) {
    const found = find()
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error(explain())
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
