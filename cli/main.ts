import { endSoon } from '../shared/end-soon.ts'
import { exitCodes } from '../shared/exit-codes.ts'
import { answerOnFastPath } from './fast-path.ts'
import { createInterruption, hostOf } from './process/own-host.ts'

// The exit code when the event loop runs empty before the command has ended.
process.exitCode = exitCodes.failure
// No top-level await: chunks loaded later import this module and would wait for it forever.
void start(process.argv.slice(2)).then((code) => {
  process.exitCode = code
  endSoon()
})

async function start(argv: readonly string[]): Promise<number> {
  const { signal, heedTermination } = createInterruption()
  const host = hostOf(signal, heedTermination)
  const text = answerOnFastPath(argv, host)
  if (text === undefined) return (await import('./run.ts')).runOnHost(argv, host)
  host.stdout.write(text)
  return exitCodes.done
}
