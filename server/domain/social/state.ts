import * as z from 'zod'
import { digestOf } from '../../crypto/token.ts'
import type { Deps } from '../../deps.ts'

/** Why a sign-in at a provider was begun; read back with it, so that one can never end as another. */
const Purpose = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('sign-in'), requestSignUp: z.boolean() }),
  z.object({ kind: z.literal('link'), userId: z.string(), sessionId: z.string() }),
  // To say who approves a sign-in of another machine: the digest of the browser's claim, as base64url.
  z.object({ kind: z.literal('device'), claim: z.string() }),
  // To link for a session elsewhere: the digest of the browser's claim, as base64url.
  z.object({ kind: z.literal('device-link'), claim: z.string() }),
])
export type Purpose = z.output<typeof Purpose>

/** What was begun, and is needed to end it. */
const Begun = z.object({
  provider: z.string(),
  verifier: z.string(),
  nonce: z.string(),
  /** That were asked for: what is granted, where the provider does not say (RFC 6749 5.1). */
  scopes: z.array(z.string()),
  callbackURL: z.string().optional(),
  errorCallbackURL: z.string().optional(),
  newUserCallbackURL: z.string().optional(),
  purpose: Purpose,
})
export type Begun = z.output<typeof Begun>

/** Seconds. */
export const stateLife = 600

export const stateIdentifier = (state: string): string => `social:${digestOf(state).toString('base64url')}`

/** Encrypted for this very state: the verifier is a secret, and a row that somebody changed does not open. */
export const sealBegun = ({ keys }: Deps, identifier: string, begun: Begun): string =>
  keys.state.seal(JSON.stringify(begun), identifier).toString('base64url')

/** Null for what is none of ours. */
export function openBegun({ keys }: Deps, identifier: string, value: string): Begun | null {
  try {
    return Begun.parse(JSON.parse(keys.state.open(Buffer.from(value, 'base64url'), identifier)))
  } catch {
    return null
  }
}
