import * as z from 'zod'
import { call } from './call.ts'

/** The language of the person whom a mailed link was for. Whoever is signed in has their own. */
const lang = { lang: z.string().optional() }

/**
 * The pages that mailed links open when the application named no page. Not part of the API: only browsers request them.
 */
const landing = {
  method: 'GET',
  access: 'anyone',
  input: z.object({ ...lang, error: z.string().optional() }),
  output: z.string(),
  failures: [],
  answer: 'html',
} as const

const opened = { token: z.string(), callbackURL: z.string().optional() }

export const verified = call({ ...landing, path: '/page/verified', summary: 'Says whether an address was verified' })

export const emailChanged = call({
  ...landing,
  path: '/page/email-changed',
  summary: 'Says whether an address was changed',
})

export const deleted = call({ ...landing, path: '/page/deleted', summary: 'Says whether an account was deleted' })

/** The page that an invitation's mail opens. It explains how to accept, and shows nothing of the invitation itself. */
export const invitation = call({
  ...landing,
  path: '/page/invitation',
  summary: 'Says how an invitation is accepted',
  input: z.object({ ...lang, id: z.string().optional() }),
})

export const signUpRemoved = call({
  ...landing,
  path: '/page/sign-up-removed',
  summary: 'Says that a sign-up was removed',
})

/**
 * The page that a verification mail opens. In the browser that signed up it continues at once. Any other browser is
 * shown who signed up, and is asked. Changes nothing, so that a mail scanner verifies nothing.
 */
export const openVerification = call({
  ...landing,
  path: '/page/verify-email',
  access: 'visitor',
  summary: 'Redirects to the verification, or asks who signed up',
  input: z.object({ token: z.string().optional(), callbackURL: z.string().optional() }),
  answer: 'form',
})

/** The forms of that page: it was me, it was not me but I want the account, or it was not me. */
export const submitVerification = call({
  ...landing,
  method: 'POST',
  path: '/page/verify-email',
  summary: 'Verifies an address, sets a new password, or removes a sign-up',
  input: z.discriminatedUnion('action', [
    z.object({ ...opened, action: z.literal('claim'), password: z.string() }),
    z.object({ ...opened, action: z.literal('take-over'), newPassword: z.string() }),
    z.object({ ...opened, action: z.literal('remove') }),
  ]),
  answer: 'form',
  body: 'form',
})

export const passwordChanged = call({
  ...landing,
  path: '/page/password-changed',
  summary: 'Says that the new password is set',
  input: z.object(lang),
})

/** Changes nothing, so that a mail scanner does no harm. */
export const askNewPassword = call({
  ...landing,
  path: '/page/reset-password',
  summary: 'Asks for the new password',
  input: z.object({ ...lang, token: z.string().optional(), error: z.string().optional() }),
  answer: 'form',
})

/** The form of that page. Redirects to the page that confirms it, or shows the form again. */
export const submitNewPassword = call({
  ...landing,
  method: 'POST',
  path: '/page/reset-password',
  summary: 'Sets the new password',
  input: z.object({
    ...lang,
    newPassword: z.string(),
    newPasswordAgain: z.string().optional(),
    token: z.string().optional(),
  }),
  answer: 'form',
  body: 'form',
})
