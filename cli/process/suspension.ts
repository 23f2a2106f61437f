interface Suspended {
  /** Gives the terminal back to the shell. */
  readonly leave: () => void
  readonly enter: () => void
}

/** Calls these around each stop by Ctrl+Z. Returns the function that ends it. */
export function aroundSuspension({ leave, enter }: Suspended): () => void {
  const suspend = () => {
    leave()
    process.off('SIGTSTP', suspend)
    // Without our handler, it stops this process.
    process.kill(process.pid, 'SIGTSTP')
  }
  const disarm = () => void process.off('SIGTSTP', suspend)
  const resume = () => {
    disarm()
    process.on('SIGTSTP', suspend)
    enter()
  }
  process.on('SIGTSTP', suspend)
  process.on('SIGCONT', resume)
  return () => {
    disarm()
    process.off('SIGCONT', resume)
  }
}

/** What Ctrl+Z sends while a terminal is in raw mode. */
export const suspendKey = '\u001a'

/** Stops all processes of the job, as the terminal would: a shell shows its prompt only when the first one stops. */
export function stopJob(): void {
  if (process.platform !== 'win32') process.kill(0, 'SIGTSTP')
}

/** Does in raw mode what a terminal does at Ctrl+Z. Goes on at once where nobody could continue the job. */
export function suspendRaw(stdin: NodeJS.ReadStream): void {
  stdin.setRawMode(false)
  stopJob()
  stdin.setRawMode(true)
}

/**
 * Hides what is typed, also after a stop, during which a shell made the terminal show it again. Returns the function that
 * ends it.
 */
export function keepRaw(stdin: NodeJS.ReadStream): () => void {
  const resume = () => {
    // Node skips a mode that it believes is set.
    stdin.setRawMode(false)
    stdin.setRawMode(true)
  }
  stdin.setRawMode(true)
  process.on('SIGCONT', resume)
  return () => {
    process.off('SIGCONT', resume)
    stdin.setRawMode(false)
  }
}
