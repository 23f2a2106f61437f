import { ProviderError } from './provider.ts'

/** Milliseconds that what was found is used, and until it is looked up again when that failed. */
const keepTime = 3_600_000
const renewalPause = 60_000
/** Milliseconds that a failure answers all who ask, when nothing was found before. */
const failureTime = 5000

export interface KeepOptions {
  readonly now: () => number
  /** Told why what was found last is used longer. */
  readonly onStale: (error: ProviderError) => void
}

/**
 * A look-up at a provider that all callers share: one request at a time, at most one an hour while it succeeds. Later
 * failures change nothing, because what a provider says of itself seldom changes. Nobody waits for the look-ups that follow
 * one that failed.
 */
export function keepLookUp<T>(look: () => Promise<T>, { now, onStale }: KeepOptions): () => Promise<T> {
  let last: { readonly found: T } | undefined
  let current: Promise<T> | undefined
  let until = 0
  let isStale = false
  const keep = (found: T): T => {
    last = { found }
    isStale = false
    until = now() + keepTime
    return found
  }
  const fallBack = (cause: unknown): T => {
    const error = new ProviderError('discovery', cause)
    until = now() + (last ? renewalPause : failureTime)
    if (!last) throw error
    isStale = true
    onStale(error)
    return last.found
  }
  return () => {
    if (current && now() < until) return current
    until = Number.POSITIVE_INFINITY
    const renewed = look().then(keep, fallBack)
    if (isStale && current)
      void renewed.then(() => {
        current = renewed
      })
    else current = renewed
    return current
  }
}
