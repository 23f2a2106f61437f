import { closeSync, openSync } from 'node:fs'

/** No more once the terminal is closed. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}

interface HangUp {
  /** The terminal that the process runs in was closed. It may be told so twice: by the system and by the shell. */
  readonly onClosed: () => void
  /** Somebody sent the signal, such as `systemctl reload`. */
  readonly onAsked: () => void
}

/** Handles SIGHUP, which has two senders. Without a handler it ends a process at once. Returns what removes it. */
export function onHangUp({ onClosed, onAsked }: HangUp): () => void {
  const hadTerminal = hasTerminal()
  const heed = () => (hadTerminal && !hasTerminal() ? onClosed() : onAsked())
  process.on('SIGHUP', heed)
  return () => process.off('SIGHUP', heed)
}

/** Node crashes at a normal exit when it cannot reset its terminal. */
export const endByHangUp = (): boolean => process.kill(process.pid, 'SIGHUP')
