import type { FieldType } from '../../output/json.ts'

/** What is told of an address that is verified, or to be. */
export interface Verification {
  readonly email: string
  readonly emailVerified: boolean
  /** Whether somebody can be spoken as here then. */
  readonly signedIn: boolean
}

export const verificationFields = {
  email: 'text',
  emailVerified: 'flag',
  signedIn: 'flag',
} as const satisfies Record<keyof Verification, FieldType>
