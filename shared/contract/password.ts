import * as z from 'zod'
import { FullUser } from '../entities.ts'
import { passwordRules } from '../errors.ts'
import { done } from './answers.ts'
import { call } from './call.ts'

const forgotten = {
  method: 'POST',
  access: 'anyone',
  input: z.object({ email: z.string(), redirectTo: z.string().optional() }),
  output: done.extend({ message: z.string().nullable() }),
  failures: ['RESET_PASSWORD_OFF', 'INVALID_EMAIL'],
} as const

/** Gives the same answer for every address. */
export const forgetPassword = call({
  ...forgotten,
  path: '/forget-password',
  summary: 'Mail a link to set a new password',
})

/** The newer name of the same call. */
export const requestPasswordReset = call({
  ...forgotten,
  path: '/request-password-reset',
  summary: 'Mail a link to set a new password (newer name of forget-password)',
})

/** The page that the mailed link opens. Changes nothing, so that a mail scanner does no harm. */
export const openResetLink = call({
  method: 'GET',
  path: '/reset-password/{token}',
  summary: 'Redirect a mailed link to the page that asks for the new password',
  access: 'anyone',
  input: z.object({ token: z.string(), callbackURL: z.string() }),
  output: z.never(),
  failures: [],
})

/** Works once. Ends every session of the user, and verifies the address. */
export const resetPassword = call({
  method: 'POST',
  path: '/reset-password',
  summary: 'Set a new password with the mailed token',
  access: 'anyone',
  input: z.object({ newPassword: z.string(), token: z.string().optional() }),
  alsoInQuery: ['token'],
  output: done,
  failures: ['RESET_TOKEN_INVALID', 'RESET_PASSWORD_OFF', ...passwordRules],
})

/** With `revokeOtherSessions` every session ends, and `token` is a new session's. */
export const changePassword = call({
  method: 'POST',
  path: '/change-password',
  summary: 'Change the password of the signed-in user',
  access: 'session',
  input: z.object({
    newPassword: z.string(),
    currentPassword: z.string(),
    revokeOtherSessions: z.boolean().optional(),
  }),
  output: z.object({ token: z.string().nullable(), user: FullUser }),
  failures: [...passwordRules, 'CREDENTIAL_ACCOUNT_NOT_FOUND', 'WRONG_PASSWORD'],
})

/** For trusted servers. The body or the session's cookie names the user. */
export const setPassword = call({
  method: 'POST',
  path: '/set-password',
  summary: 'Set the first password of a user who has none',
  access: 'server',
  input: z.object({ newPassword: z.string(), userId: z.string().optional() }),
  output: done,
  failures: [...passwordRules, 'USER_NOT_FOUND', 'PASSWORD_ALREADY_SET'],
})
