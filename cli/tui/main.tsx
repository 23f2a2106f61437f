import { render } from 'ink'
import type { ReactNode } from 'react'
import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import { KeymapContext } from './hooks/use-keymap.ts'
import { SizeContext } from './hooks/use-size.ts'
import { type Keymap, keyGroups } from './keymap/keymap.ts'
import { type NumberedScreen, numberedScreens } from './keymap/names.ts'
import type { TuiPorts } from './ports.ts'
import { Opening } from './screens/chrome.tsx'
import { clipboardSequence, type ExitCause, openTerminal, type Signal, type Terminal } from './terminal/terminal.ts'
import { ThemeContext } from './theme.ts'
import { colourless, themes } from './themes.ts'

interface TuiOptions {
  /** The numbered screen to start with. */
  readonly screen?: string | undefined
  readonly readOnly?: boolean | undefined
}

const endings: Readonly<Record<Signal, ExitCode>> = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGHUP: exitCodes.terminated,
}

/**
 * Runs until the user quits (0), presses Ctrl+C (130) or closes the terminal, and always restores the terminal. CI,
 * CONTINUOUS_INTEGRATION and DEV must be removed from the environment before this module is imported, since Ink reads
 * them.
 */
export async function runTui(ports: TuiPorts, start: TuiOptions): Promise<ExitCode> {
  const keymap = await keymapOf(ports.environment.keys)
  const options = { screen: screenOf(start.screen), isReadOnly: start.readOnly ?? false }
  if (ports.environment.isAccessible) {
    const { runAccessible } = await import('./accessible/main.ts')
    return runAccessible(ports, keymap, options)
  }
  const { finished, finish } = ending()
  const terminal = openTerminal(ports, finish, () => app.rerender(tree()))
  let shown: ReactNode = <Opening server={ports.server} {...options} />
  const { hasColour, theme } = ports.environment
  const tree = () => (
    <ThemeContext.Provider value={hasColour ? themes[theme] : colourless}>
      <KeymapContext.Provider value={keymap}>
        <SizeContext.Provider value={terminal.size()}>{shown}</SizeContext.Provider>
      </KeymapContext.Provider>
    </ThemeContext.Provider>
  )
  const app = render(tree(), inkOptions(terminal))
  try {
    // Loads most of the program after the first frame. A user who quits meanwhile does not wait for it.
    const next = await Promise.race([finished, import('./app.tsx')])
    if (typeof next === 'number') return next
    const copy = (text: string) => {
      const sequence = clipboardSequence(text)
      if (sequence !== undefined) terminal.canvas.write(sequence)
      return sequence !== undefined
    }
    shown = next.createApp(ports, { ...options, copy, onQuit: () => finish(exitCodes.done) })
    app.rerender(tree())
    // Ink ends by itself only when a screen throws, and then this promise rejects.
    return await Promise.race([finished, app.waitUntilExit().then(() => finished)])
  } finally {
    terminal.close()
    app.unmount()
    ports.close()
  }
}

/** What changes keys is loaded only if the config file does. */
const keymapOf = async (keys: TuiPorts['environment']['keys']): Promise<Keymap> =>
  Object.keys(keys).length === 0 ? keyGroups : (await import('./keymap/remap.ts')).keymapWith(keys)

/** A promise for the exit code, and the function that settles it. */
function ending() {
  let finish: (end: ExitCode | ExitCause) => void = () => {}
  const finished = new Promise<ExitCode>((resolve, reject) => {
    finish = (end) => {
      if (end instanceof Error) reject(end)
      else resolve(typeof end === 'number' ? end : endings[end])
    }
  })
  return { finished, finish }
}

/** Keyboard and Canvas implement only the part of a stream that Ink uses. */
const inkOptions = ({ keyboard, canvas }: Terminal) => ({
  stdin: keyboard as unknown as NodeJS.ReadStream,
  stdout: canvas as unknown as NodeJS.WriteStream,
  exitOnCtrlC: false,
  patchConsole: false,
})

const screenOf = (name: string | undefined): NumberedScreen =>
  numberedScreens.find(({ screen }) => screen === name)?.screen ?? 'home'
