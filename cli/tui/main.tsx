import { render } from 'ink'
import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import { App } from './app.tsx'
import { SizeContext } from './hooks/use-size.ts'
import { type NumberedScreen, numberedScreens } from './keys/keys.ts'
import type { TuiPorts } from './ports.ts'
import { AppStore } from './state/app-store.ts'
import { clipboardSequence } from './terminal/clipboard.ts'
import { type Ending, openTerminal, type Signal, type Terminal } from './terminal/terminal.ts'
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
export async function runTui(ports: TuiPorts, options: TuiOptions): Promise<ExitCode> {
  if (ports.environment.isAccessible) {
    const { runAccessible } = await import('./accessible/main.ts')
    return runAccessible(ports, options)
  }
  let finish: (end: ExitCode | Ending) => void = () => {}
  const finished = new Promise<ExitCode>((resolve, reject) => {
    finish = (end) => {
      if (end instanceof Error) reject(end)
      else resolve(typeof end === 'number' ? end : endings[end])
    }
  })
  const terminal = openTerminal(
    ports,
    (ending) => finish(ending),
    () => app.rerender(tree()),
  )
  const store = new AppStore(ports)
  const copy = (text: string) => void terminal.canvas.write(clipboardSequence(text))
  const tree = () => (
    <ColourContext.Provider value={ports.environment.hasColour}>
      <SizeContext.Provider value={terminal.size()}>
        <App
          store={store}
          screen={screenOf(options.screen)}
          isReadOnly={options.readOnly ?? false}
          copy={copy}
          onQuit={() => finish(exitCodes.done)}
        />
      </SizeContext.Provider>
    </ColourContext.Provider>
  )
  const app = render(tree(), inkOptions(terminal))
  try {
    // Ink ends on its own only when a screen throws: then this rejects.
    return await Promise.race([finished, app.waitUntilExit().then(() => finished)])
  } finally {
    terminal.close()
    app.unmount()
    ports.close()
  }
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
