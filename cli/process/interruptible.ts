const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs what may never end and lets nothing else run meanwhile. No handler of ours could answer a signal then, so a
 * signal ends the process at once.
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
