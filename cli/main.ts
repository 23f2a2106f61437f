import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { answerAtOnce } from './answer-at-once.ts'
import { hostOf, interruptSignal } from './process/own-host.ts'

// Stays if the process runs out of work before the command has ended.
process.exitCode = exitCodes.failure
// No await here: chunks loaded later import this one, and would wait for it to end.
void start(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})

async function start(argv: readonly string[]): Promise<ExitCode> {
  const host = hostOf(interruptSignal())
  const text = answerAtOnce(argv, host)
  if (text === undefined) return (await import('./run.ts')).runOn(argv, host)
  host.stdout.write(text)
  return exitCodes.done
}
