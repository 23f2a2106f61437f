import { hostname } from 'node:os'
import { exitCodes } from '../../shared/exit-codes.ts'
import { interruptedError } from '../output/cli-error.ts'
import type { Host } from './host.ts'

/** The one reader of the environment. Streams are opened when they are used: that takes time. */
export function hostOf(signal: () => AbortSignal): Host {
  return {
    env: process.env,
    cwd: process.cwd(),
    now: Date.now,
    get hostname() {
      return hostname()
    },
    get stdin() {
      return process.stdin
    },
    get stdout() {
      return tolerateClosedPipe(process.stdout)
    },
    get stderr() {
      return tolerateClosedPipe(process.stderr)
    },
    get signal() {
      return signal()
    },
  }
}

/** Ink decides by these, when it is imported, to draw nothing until the end or to look for developer tools. */
export function hideFromInk(): void {
  for (const name of ['CI', 'CONTINUOUS_INTEGRATION', 'DEV']) delete process.env[name]
}

/**
 * A signal that Ctrl+C aborts. The handler is there from the first use on, so that commands which wait for nothing, or
 * listen themselves, end as ever; a second Ctrl+C ends at once.
 */
export function interruptSignal(): () => AbortSignal {
  let controller: AbortController | undefined
  return () => {
    if (controller) return controller.signal
    const made = new AbortController()
    controller = made
    process.once('SIGINT', () => made.abort(interruptedError()))
    return made.signal
  }
}

const tolerant = new WeakSet<NodeJS.WriteStream>()

/**
 * The stream, for which a reader that has seen enough is no failure: what is left to print is dropped. Any other fault,
 * such as a full disk, makes the run fail.
 */
function tolerateClosedPipe(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (tolerant.has(stream)) return stream
  tolerant.add(stream)
  return stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    // At the exit, as the command goes on and ends with a code of its own.
    process.once('exit', () => {
      process.exitCode = exitCodes.failure
    })
    if (stream !== process.stderr) process.stderr.write(`error: The output cannot be written (${error.code})\n`)
  })
}
