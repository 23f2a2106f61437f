import { interrupted } from './refusal.ts'

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
    process.once('SIGINT', () => made.abort(interrupted()))
    return made.signal
  }
}

const tolerant = new WeakSet<NodeJS.WriteStream>()

/** The stream, for which a reader that has seen enough is no failure: what is left to print is dropped. */
export function tolerateClosedPipe(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (tolerant.has(stream)) return stream
  tolerant.add(stream)
  return stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}
