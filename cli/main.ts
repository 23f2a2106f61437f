import { createContext, hostOf } from './context.ts'
import { run } from './run.ts'
import { interruptSignal, tolerateClosedPipe } from './signals.ts'

tolerateClosedPipe()
process.exitCode = await run(process.argv.slice(2), createContext(hostOf(interruptSignal())))
