import { countSessionsOfOtherSecrets } from '../db/sessions.ts'
import type { Deps } from '../deps.ts'
import { lookInterval } from '../domain/token/add-due-key.ts'
import { readKeyRing } from '../domain/token/key-ring.ts'
import { resealWebhooks } from '../webhooks/reseal.ts'

/** Milliseconds between checks. Secrets are rotated over days. */
const defaultInterval = 3_600_000

/**
 * While an older secret is configured, encrypts the secrets of webhooks anew and logs how many sessions still depend on
 * one, now and at every hourly check that finds a change. Returns a function that stops it.
 */
export function watchSecrets(deps: Deps, interval = defaultInterval): () => Promise<void> {
  if (!deps.keys.cookie.isRotating) return () => Promise.resolve()
  let before: number | undefined
  const look = async () => {
    await resealWebhooks(deps)
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
        'sessions that depend on an older secret could not be counted; trying again at the next check',
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
  some: 'sessions still have cookies signed by an older secret: each gets new cookies with its next answer. Removing the secret now signs them out',
  none: 'no session and no webhook depends on an older secret any more: once mails and links from its time have expired, remove it from SECRETS',
}

/**
 * Reads the token signing keys now and every half minute, so that no request has to wait. Returns a function that stops
 * it.
 */
export function watchKeys(deps: Deps): () => Promise<void> {
  let running: Promise<unknown>
  const look = () => {
    running = readKeyRing(deps).catch((err: unknown) =>
      deps.log.warn({ err }, 'the token signing keys could not be read; trying again at the next check'),
    )
  }
  look()
  const timer = setInterval(look, lookInterval * 1000).unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
