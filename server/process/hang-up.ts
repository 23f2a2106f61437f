import { isatty } from 'node:tty'

/** The standard streams that were a terminal at the start. */
const terminals = [0, 1, 2].filter((stream) => isatty(stream))

/** Whether the terminal was closed. Always false without one. */
const isClosed = (): boolean => terminals.some((stream) => !isatty(stream))

interface HangUp {
  /** The process's terminal was closed. Can be called twice: the system and the shell both send the signal. */
  readonly onClosed: () => void
  /** Somebody sent the signal, such as `systemctl reload`. */
  readonly onAsked: () => void
}

/** Milliseconds. The signal of a terminal that is closed comes at once. */
const lookEvery = 2000

/** Handles SIGHUP, which has two senders. Without a handler it ends a process at once. Returns what removes the handler. */
export function onHangUp({ onClosed, onAsked }: HangUp): () => void {
  let wasClosed = false
  let isGone = false
  // A service that its shell let go (`disown`) outlives the terminal. Later signals are from somebody who asks.
  const look = () => {
    isGone = wasClosed
    wasClosed = isClosed()
  }
  const timer = terminals.length > 0 ? setInterval(look, lookEvery).unref() : undefined
  const heed = () => (isClosed() && !isGone ? onClosed() : onAsked())
  process.on('SIGHUP', heed)
  return () => {
    clearInterval(timer)
    process.off('SIGHUP', heed)
  }
}

/** Ends the process by `exit`, but by SIGHUP without its terminal: Node crashes at its exit when it cannot reset that one. */
export function endWithoutCrash(exit: () => void): void {
  if (!isClosed()) return exit()
  process.removeAllListeners('SIGHUP')
  process.kill(process.pid, 'SIGHUP')
}
