import * as z from 'zod'
import { User } from '../entities.ts'
import { done } from './answers.ts'
import { call } from './call.ts'

const callbackURL = z.string().optional()

/** Gives the same answer for every address. A signed-in user can ask only for their own. */
export const sendVerificationEmail = call({
  method: 'POST',
  path: '/send-verification-email',
  summary: 'Mail a link that verifies an address',
  access: 'visitor',
  input: z.object({ email: z.string(), callbackURL }),
  output: done,
  failures: ['VERIFICATION_EMAIL_OFF', 'INVALID_EMAIL', 'USER_NOT_FOUND'],
})

/** Redirects if there is a callbackURL, also on failure. */
export const verifyEmail = call({
  method: 'GET',
  path: '/verify-email',
  summary: 'Verify an address, or change it, by the mailed token',
  access: 'visitor',
  input: z.object({ token: z.string(), callbackURL }),
  output: z.object({ status: z.boolean(), user: User.nullable() }),
  failures: [
    'LINK_TOKEN_INVALID',
    'LINK_TOKEN_EXPIRED',
    'LINK_USER_NOT_FOUND',
    'LINK_UNAUTHORIZED',
    'EMAIL_NOT_AVAILABLE',
    'LAST_ADMIN',
  ],
  refreshesSession: true,
  takesLabel: true,
  isWriting: true,
})

/** Requires a fresh session. A verified old address must first agree through a mailed link. */
export const changeEmail = call({
  method: 'POST',
  path: '/change-email',
  summary: 'Change the address of the signed-in user',
  access: 'session',
  input: z.object({ newEmail: z.string(), callbackURL }),
  output: done,
  failures: [
    'CHANGE_EMAIL_OFF',
    'VERIFICATION_EMAIL_OFF',
    'INVALID_EMAIL',
    'EMAIL_UNCHANGED',
    'EMAIL_NOT_AVAILABLE',
    'SESSION_NOT_FRESH',
  ],
})
