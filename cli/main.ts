import { exitCodes } from '../shared/exit-codes.ts'
import { createContext, hostOf } from './context.ts'
import { interruptSignal } from './process/signals.ts'
import { run } from './run.ts'

// Stays if the process runs out of work before the command has ended.
process.exitCode = exitCodes.failure
// No await here: chunks loaded later import this one, and would wait for it to end.
void run(process.argv.slice(2), createContext(hostOf(interruptSignal()))).then((code) => {
  process.exitCode = code
})
