import type { Deps } from '../deps.ts'
import { readKeyRing } from '../domain/token/key-ring.ts'
import { lookInterval } from '../domain/token/key-times.ts'

/** Looks at the keys that sign tokens now and every half minute, so that no request has to. Returns what stops it. */
export function watchKeys(deps: Deps): () => Promise<void> {
  let running: Promise<unknown>
  const look = () => {
    running = readKeyRing(deps).catch((err: unknown) =>
      deps.log.warn({ err }, 'the keys that sign tokens could not be read; the next look tries again'),
    )
  }
  look()
  const timer = setInterval(look, lookInterval * 1000).unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
