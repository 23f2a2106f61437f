import { render } from 'ink'
import type { ReactNode } from 'react'
import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import { SizeContext } from './hooks/use-size.ts'
import { type NumberedScreen, numberedScreens } from './keys/names.ts'
import type { TuiPorts } from './ports.ts'
import { Opening } from './screens/surround.tsx'
import { clipboardSequence, type Ending, openTerminal, type Signal, type Terminal } from './terminal/terminal.ts'
import { ColourContext } from './theme.ts'

export interface TuiOptions {
  /** Where to start: a name of a numbered screen. */
  readonly screen?: string | undefined
  readonly readOnly?: boolean | undefined
}

const endings: Readonly<Record<Signal, ExitCode>> = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGHUP: exitCodes.terminated,
}

/**
 * Runs until the person quits (0), presses Ctrl+C (130), or the terminal goes; it is given back as it was in any case.
 * CI, CONTINUOUS_INTEGRATION and DEV have to be out of the environment before this module is imported (Ink decides by them).
 */
export async function runTui(ports: TuiPorts, start: TuiOptions): Promise<ExitCode> {
  if (ports.environment.isAccessible) {
    const { runAccessible } = await import('./accessible/main.ts')
    return runAccessible(ports, start)
  }
  const { finished, finish } = ending()
  const terminal = openTerminal(ports, finish, () => app.rerender(tree()))
  const options = { screen: screenOf(start.screen), isReadOnly: start.readOnly ?? false }
  let shown: ReactNode = <Opening server={ports.server} {...options} />
  const tree = () => (
    <ColourContext.Provider value={ports.environment.hasColour}>
      <SizeContext.Provider value={terminal.size()}>{shown}</SizeContext.Provider>
    </ColourContext.Provider>
  )
  const app = render(tree(), inkOptions(terminal))
  try {
    // Most of the program, and nothing of it is in the first frame. Whoever leaves meanwhile waits for none of it.
    const next = await Promise.race([finished, import('./app.tsx')])
    if (typeof next === 'number') return next
    const copy = (text: string) => void terminal.canvas.write(clipboardSequence(text))
    shown = next.appOn(ports, { ...options, copy, onQuit: () => finish(exitCodes.done) })
    app.rerender(tree())
    // Ink ends on its own only when a screen throws: then this rejects.
    return await Promise.race([finished, app.waitUntilExit().then(() => finished)])
  } finally {
    terminal.close()
    app.unmount()
    ports.close()
  }
}

/** What the run comes to, and how it is told. */
function ending() {
  let finish: (end: ExitCode | Ending) => void = () => {}
  const finished = new Promise<ExitCode>((resolve, reject) => {
    finish = (end) => {
      if (end instanceof Error) reject(end)
      else resolve(typeof end === 'number' ? end : endings[end])
    }
  })
  return { finished, finish }
}

/** Keyboard and Canvas have what Ink uses of a stream, no more. */
const inkOptions = ({ keyboard, canvas }: Terminal) => ({
  stdin: keyboard as unknown as NodeJS.ReadStream,
  stdout: canvas as unknown as NodeJS.WriteStream,
  exitOnCtrlC: false,
  patchConsole: false,
})

const screenOf = (name = 'home'): NumberedScreen =>
  numberedScreens.find(({ screen }) => screen === name)?.screen ?? 'home'
