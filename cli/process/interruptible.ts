const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs synchronous work that may never end. It would block our signal handlers too, so while it runs, a signal ends the
 * process at once.
 */
export function interruptible<T>(work: () => T): T {
  const kept = signals.flatMap((name) => process.rawListeners(name).map((listener) => [name, listener] as const))
  for (const name of signals) process.removeAllListeners(name)
  try {
    return work()
  } finally {
    for (const [name, listener] of kept) process.on(name, listener as () => void)
  }
}
