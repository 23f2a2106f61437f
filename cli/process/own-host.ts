import { hostname } from 'node:os'
import type { Host } from './host.ts'
import { tolerateClosedPipe } from './signals.ts'

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
