import { ConfigError, type Environment, parseConfig } from '../config.ts'

/** Secrets that are random enough. */
export const testSecret = 'k3Jx9vQ2mWz7Lr5TbN8yHd4FsG6pCa1E'
export const otherSecret = 'Zq8Xw2Vn5Kt1Rb7Jm4Hc9Gf3Ds6La0Pe'

/** What is said of settings that are not usable. */
export function complaint(given: Environment): string {
  try {
    parseConfig(given)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message
  }
  return 'accepted'
}
