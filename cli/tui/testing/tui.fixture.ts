import { createContext } from '../../context.ts'
import { createInterruption, hideFromInk, hostOf } from '../../process/own-host.ts'
import { createTuiPorts } from '../../tui-ports.ts'

/** The terminal UI as a separate program with a planted failure: `tui.fixture FAILURE`. */
const [, , failure = 'none'] = process.argv
hideFromInk()

/** Triggered by SIGUSR2 once the test is ready. Ink kills a process that has no listener for the signal left. */
const failures: Readonly<Record<string, () => void>> = {
  uncaught: () => {
    throw new Error('planted failure')
  },
  rejection: () => void Promise.reject(new Error('planted failure')),
  exit: () => process.exit(7),
}
process.on('SIGUSR2', () => failures[failure]?.())

const context = createContext(hostOf(createInterruption().signal))
const { server, ...ports } = createTuiPorts(context)
// A value that is no text, so a screen throws while painting.
const nobody = {
  origin: new URL(server).origin,
  email: Symbol('no text') as never,
  isCurrent: true,
  isSignedIn: true,
  file: '',
}
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
