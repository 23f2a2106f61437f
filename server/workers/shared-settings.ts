import type { SharedSettings } from './calls.ts'

export const sharedSettingsOf = ({
  RATE_LIMITS,
  COOKIE_CACHE,
  COOKIE_CACHE_MAX_AGE,
  PASSWORD_QUEUE,
  PASSWORD_QUEUE_TIMEOUT,
}: SharedSettings): SharedSettings => ({
  RATE_LIMITS,
  COOKIE_CACHE,
  COOKIE_CACHE_MAX_AGE,
  PASSWORD_QUEUE,
  PASSWORD_QUEUE_TIMEOUT,
})
