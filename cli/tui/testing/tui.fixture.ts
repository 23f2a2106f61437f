import { createContext } from '../../context.ts'
import { hideFromInk, hostOf, interruptSignal } from '../../process/own-host.ts'
import { tuiPortsOf } from '../../tui-ports.ts'

/** The terminal UI as a program of its own, with a failure planted in it: `tui.fixture FAILURE`. */
const [, , failure = 'none'] = process.argv
hideFromInk()

/** Struck by SIGUSR2, when the test has seen what it waited for; Ink kills a process that has no listener to it left. */
const failures: Readonly<Record<string, () => void>> = {
  uncaught: () => {
    throw new Error('planted failure')
  },
  rejection: () => void Promise.reject(new Error('planted failure')),
  exit: () => process.exit(7),
}
process.on('SIGUSR2', () => failures[failure]?.())

const context = createContext(hostOf(interruptSignal()))
const { server, ...ports } = tuiPortsOf(context)
// No text where a text is painted: a screen throws.
const nobody = { origin: new URL(server).origin, email: 7 as never, isCurrent: true, isSignedIn: true, file: '' }
const accounts = { ...ports.accounts, list: async () => [nobody] }
const broken = { ...ports, server, accounts, connect: (at: string) => ports.connect(at) }
const { runTui } = await import('../main.tsx')
try {
  const readOnly = context.settings.readOnly.value
  process.exitCode = await runTui(failure === 'broken' ? broken : { ...ports, server }, { readOnly })
} catch (error) {
  process.stderr.write(`failed: ${Object(error).message}\n`)
  process.exitCode = 1
}
