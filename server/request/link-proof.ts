import type { Config } from '../config.ts'

interface AskedLink {
  readonly provider: string
  /** Whether the sign-in that asked has proved the user's address. */
  readonly addressProven: boolean
}

/**
 * Whether the browser has to show by a sign-in of its own that the same person asked for the link, because the address
 * that the provider states cannot.
 */
export const isLinkProofNeeded = (
  { ALLOW_DIFFERENT_EMAILS, TRUSTED_PROVIDERS }: Pick<Config, 'ALLOW_DIFFERENT_EMAILS' | 'TRUSTED_PROVIDERS'>,
  { provider, addressProven }: AskedLink,
): boolean => ALLOW_DIFFERENT_EMAILS || !addressProven || !TRUSTED_PROVIDERS.includes(provider)
