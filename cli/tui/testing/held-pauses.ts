import { once } from 'node:events'
import type { TuiPorts } from '../ports.ts'

/** Pauses that end when a test says so, however much time goes by. */
export function heldPauses() {
  const ends: (() => void)[] = []
  const pause: TuiPorts['pause'] = async (_, signal) => {
    signal.throwIfAborted()
    const ended = new Promise<void>((resolve) => ends.push(resolve))
    await Promise.race([ended, once(signal, 'abort')])
    signal.throwIfAborted()
  }
  return {
    pause,
    /** How many were begun. */
    begun: () => ends.length,
    endAll: () => {
      for (const end of ends) end()
    },
  }
}
