import type { Config } from '../config.ts'

/** The settings that the primary uses for all workers. */
export const sharedSettingsOf = ({
  RATE_LIMITS,
  COOKIE_CACHE,
  COOKIE_CACHE_MAX_AGE,
  PASSWORD_QUEUE,
  PASSWORD_QUEUE_TIMEOUT,
}: Config) => ({ RATE_LIMITS, COOKIE_CACHE, COOKIE_CACHE_MAX_AGE, PASSWORD_QUEUE, PASSWORD_QUEUE_TIMEOUT })
export type SharedSettings = ReturnType<typeof sharedSettingsOf>
