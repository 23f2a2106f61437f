import type { GivenRow } from '../../db/moving/insert-rows.ts'
import type { Deps } from '../../deps.ts'

/** Why a record cannot come. */
export interface Unfit {
  readonly reason: string
}

export interface PrepareParts {
  readonly keys: Deps['keys']
  /** The moment of the run, for what says no time. */
  readonly now: string
  /** Seconds after which a session ends, however often it was extended. */
  readonly sessionMaxAge: number
  /** Makes an Argon2 hash. */
  readonly hash: (text: string) => Promise<string>
  /** Providers whose word for an address is a proof here. */
  readonly trustedProviders: readonly string[]
  /** Completes hashes of SuperTokens that came from Firebase. */
  readonly signerKey?: string | undefined
}

/** What it becomes. */
export interface Made {
  readonly id: string
  readonly values: Readonly<Record<string, unknown>>
  readonly altered?: readonly string[]
  readonly joins?: GivenRow['joins']
}

/** The parts of a run that stores what it reads in the database of this service. */
export const partsOf = (
  { config, keys, passwords }: Pick<Deps, 'config' | 'keys' | 'passwords'>,
  more: Partial<PrepareParts> = {},
): PrepareParts => ({
  keys,
  now: new Date().toISOString(),
  hash: (text) => passwords.hash(text),
  trustedProviders: config.TRUSTED_PROVIDERS,
  sessionMaxAge: config.SESSION_MAX_AGE,
  ...more,
})
