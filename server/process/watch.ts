import { countImportedSessions, countSessionsOfOtherSecrets } from '../db/sessions.ts'
import type { Deps } from '../deps.ts'
import { resealProviderTokens } from '../domain/social/reseal-tokens.ts'
import { lookInterval } from '../domain/token/add-due-key.ts'
import { readKeyRing } from '../domain/token/key-ring.ts'
import { isStrongSecret } from '../settings/schema.ts'
import { resealWebhooks } from '../webhooks/reseal.ts'

/** Milliseconds between checks. Secrets are rotated over days. */
const checkInterval = 3_600_000

/**
 * Logs which secrets are in use. While an older one is configured, it also encrypts the secrets of webhooks and the
 * tokens of providers anew, and logs how many sessions still depend on one, now and at every hourly check that finds a
 * change. Returns a function that stops it.
 */
export function watchSecrets(deps: Deps): () => Promise<void> {
  const { labels } = deps.keys.cookie
  deps.log.info({ secrets: labels }, sentences.inUse)
  if (!deps.keys.cookie.isRotating) return () => Promise.resolve()
  let before: number | undefined
  const look = async (stopping: AbortSignal) => {
    await resealWebhooks(deps)
    if (!(await resealProviderTokens(deps, stopping))) return
    const { sessions, last } = await countSessionsOfOtherSecrets(deps.sql, deps.keys.cookie.label)
    if (sessions !== before)
      deps.log.info({ sessions, last: last ?? undefined, secrets: labels }, sentences[sessions > 0 ? 'some' : 'none'])
    before = sessions
  }
  return repeated(deps, checkInterval, look, 'sessions that depend on an older secret could not be counted')
}

/**
 * While IMPORTED_SECRET is set, logs once whether sessions that moved in still need it, and when the last of them
 * ended. Returns a function that stops it.
 */
export function watchImportedSessions(deps: Deps, interval = checkInterval): () => Promise<void> {
  const { IMPORTED_SECRET: secret } = deps.config
  if (secret === undefined) return () => Promise.resolve()
  if (!isStrongSecret(secret)) deps.log.warn(importedSentences.weak)
  let before: boolean | undefined
  const look = async () => {
    const { sessions, last } = await countImportedSessions(deps.sql)
    const isNeeded = sessions > 0
    if (isNeeded !== before)
      deps.log.info({ sessions, last: last ?? undefined }, importedSentences[isNeeded ? 'some' : 'none'])
    before = isNeeded
  }
  return repeated(deps, interval, look, 'sessions that moved in could not be counted')
}

/** Looks now and after each interval. Returns a function that stops it, which a long look is told. */
function repeated(
  { log }: Deps,
  interval: number,
  look: (stopping: AbortSignal) => Promise<void>,
  problem: string,
): () => Promise<void> {
  const stopping = new AbortController()
  let running: Promise<void>
  const lookOnce = () => {
    running = look(stopping.signal).catch((err: unknown) =>
      log.warn({ err }, `${problem}; trying again at the next check`),
    )
  }
  lookOnce()
  const timer = setInterval(lookOnce, interval).unref()
  return async () => {
    clearInterval(timer)
    stopping.abort()
    await running
  }
}

const importedSentences = {
  weak: 'IMPORTED_SECRET is short or a sample: whoever guesses it and reads the token of a session that moved in takes it over, until that session ends',
  some: 'sessions that moved in are live: cookies and bearer tokens that IMPORTED_SECRET signed are accepted for them',
  none: 'no session that moved in is live: IMPORTED_SECRET does nothing until an import brings some. Once everybody has moved, remove it',
}

const sentences = {
  inUse: 'the fingerprints of SECRET or SECRETS: the first one signs and encrypts, all are accepted',
  some: 'sessions still have cookies signed by a secret after the first of SECRETS: each gets new cookies with its next answer. Removing it now signs them out',
  none: 'no session, no webhook and no token of a provider depends on a secret after the first of SECRETS: one that is older goes once mails and links from its time have expired, one that is newer comes first next',
}

/**
 * Reads the token signing keys now and every half minute, so that no request has to wait. Returns a function that stops
 * it.
 */
export const watchKeys = (deps: Deps): (() => Promise<void>) =>
  repeated(
    deps,
    lookInterval * 1000,
    async () => void (await readKeyRing(deps)),
    'the token signing keys could not be read',
  )
