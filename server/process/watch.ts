import { countSessionsOfOtherSecrets } from '../db/sessions.ts'
import type { Deps } from '../deps.ts'
import { lookInterval } from '../domain/token/add-due-key.ts'
import { readKeyRing } from '../domain/token/key-ring.ts'

/** Milliseconds between checks. Secrets are rotated over days. */
const defaultInterval = 3_600_000

/**
 * While an older secret is configured, logs how many sessions still depend on one, now and at every hourly check that
 * finds a change. Returns a function that stops it.
 */
export function watchSecrets(deps: Deps, interval = defaultInterval): () => Promise<void> {
  if (!deps.keys.cookie.isRotating) return () => Promise.resolve()
  let before: number | undefined
  const look = async () => {
    const { sessions, last } = await countSessionsOfOtherSecrets(deps.sql, deps.keys.cookie.label)
    if (sessions !== before)
      deps.log.info({ sessions, last: last ?? undefined }, sentences[sessions > 0 ? 'some' : 'none'])
    before = sessions
  }
  let running: Promise<void>
  const lookOnce = () => {
    running = look().catch((err: unknown) =>
      deps.log.warn(
        { err },
        'the sessions that depend on an older secret could not be counted; the next look tries again',
      ),
    )
  }
  lookOnce()
  const timer = setInterval(lookOnce, interval).unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}

const sentences = {
  some: 'sessions whose cookies an older secret signed: with the next answer to each the newest signs them; dropped now, it signs them out',
  none: 'no session depends on an older secret any more: once mails and links of its time are over, it may be dropped from SECRETS',
}

/**
 * Reads the token signing keys now and every half minute, so that no request has to wait. Returns a function that stops
 * it.
 */
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
