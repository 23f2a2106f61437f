import { fstatSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { exitCodes } from '../../shared/exit-codes.ts'
import { type CliError, interruptedError, localStateError, terminatedError } from '../output/cli-error.ts'
import type { Host } from './host.ts'

/** The only reader of the process environment. Streams are opened on first use, because that takes time. */
export function hostOf(signal: () => AbortSignal, heedTermination?: () => void): Host {
  return {
    env: process.env,
    now: Date.now,
    // Read only on use, because most commands do not need it and work in a folder that was deleted too.
    get cwd() {
      return currentFolder()
    },
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
    heedTermination,
  }
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch (error) {
    if (Object(error).code !== 'ENOENT') throw error
    throw localStateError('This folder was deleted', 'Go to another one: cd', error)
  }
}

/** When Ink is imported, these variables make it draw only at the end or look for developer tools. */
export function hideFromInk(): void {
  for (const name of ['CI', 'CONTINUOUS_INTEGRATION', 'DEV']) delete process.env[name]
}

interface Interruption {
  readonly signal: () => AbortSignal
  readonly heedTermination: () => void
}

/**
 * A signal that Ctrl+C aborts, and SIGTERM once that is asked for. The handlers are installed on first use, so that
 * commands which do not wait, or handle it themselves, end as usual. A second one ends the process at once.
 */
export function createInterruption(): Interruption {
  const controller = new AbortController()
  const heed = (name: 'SIGINT' | 'SIGTERM', reason: () => CliError) => () =>
    process.once(name, () => controller.abort(reason()))
  const heedInterrupt = once(heed('SIGINT', interruptedError))
  return {
    signal: () => {
      heedInterrupt()
      return controller.signal
    },
    heedTermination: once(heed('SIGTERM', terminatedError)),
  }
}

function once(action: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) action()
    isDone = true
  }
}

/** The command has done its work by the time that it prints, so repeating it could do the same twice. */
const next = '  next: Only the output is lost; what the command has changed stays changed\n'

type OwnStream = NodeJS.WriteStream & { readonly fd: number }

const tolerant = new WeakSet<OwnStream>()

/**
 * Wraps a stream so that a reader closing the pipe is no failure: the remaining output is dropped. Any other error,
 * such as a full disk, makes the run fail.
 */
function tolerateClosedPipe(stream: OwnStream): OwnStream {
  if (tolerant.has(stream)) return stream
  tolerant.add(stream)
  if (!stream.isTTY && fstatSync(stream.fd).isFile()) writeWhole(stream)
  return stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    // Set at exit, because the command continues and sets its own exit code.
    process.once('exit', () => {
      process.exitCode = exitCodes.failure
    })
    if (stream !== process.stderr) process.stderr.write(`error: The output cannot be written (${error.code})\n${next}`)
  })
}

/** Node's own stream for a file drops, without an error, what a disk that is nearly full had no room for. */
function writeWhole(stream: OwnStream): void {
  stream._write = (bytes: Buffer, _encoding, done) => {
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(stream.fd, bytes, at)
      done()
    } catch (error) {
      done(error as Error)
    }
  }
}
