import { once } from 'node:events'
import type { TuiPorts } from '../ports.ts'

/** Pauses that end when the test says so, not by time. */
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
    /** The number of pauses begun. */
    begun: () => ends.length,
    endAll: () => {
      for (const end of ends) end()
    },
  }
}
