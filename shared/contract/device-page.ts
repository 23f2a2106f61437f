import * as z from 'zod'
import { call } from './call.ts'

/** The page on which a device sign-in is approved. Not part of the API: only browsers request it. */
const shown = { method: 'GET', access: 'visitor', output: z.string(), failures: [], answer: 'form' } as const
const sent = { ...shown, method: 'POST', body: 'form' } as const

/** Opening the page changes nothing. `local` marks a link whose code may be filled in. */
export const askUserCode = call({
  ...shown,
  path: '/page/device',
  summary: 'Asks for the code shown on the other device',
  input: z.object({ user_code: z.string().optional(), local: z.string().optional() }),
})

/** `form`: names the page on which the code was typed. */
export const claimDevice = call({
  ...sent,
  path: '/page/device',
  summary: 'Binds the request of a typed code to this browser',
  input: z.object({ user_code: z.string().max(64), form: z.string().length(22).optional() }),
})

/** `another`: approve as another user than the known one. `error`: why the sign-in at a provider failed. */
export const showDevice = call({
  ...shown,
  path: '/page/device/request',
  summary: 'Shows the request, and asks who approves it or whether to approve',
  input: z.object({ another: z.string().optional(), error: z.string().optional() }),
})

export const identifyByPassword = call({
  ...sent,
  path: '/page/device/password',
  summary: 'Identifies the approving user by address and password',
  input: z.object({ email: z.string(), password: z.string() }),
})

export const identifyBySession = call({
  ...sent,
  path: '/page/device/session',
  summary: "Identifies the approving user by this browser's session",
  input: z.object({}),
})

export const identifyByProvider = call({
  ...sent,
  path: '/page/device/provider',
  summary: 'Redirects to a provider, which identifies the approving user',
  input: z.object({ provider: z.string().max(64) }),
})

export const identifyByOneTap = call({
  ...sent,
  path: '/page/device/one-tap',
  summary: 'Identifies the approving user by a Google One Tap id token',
  input: z.object({ idToken: z.string().max(16_384) }),
})

/** `provider`: the provider that the page showed. */
export const linkDevice = call({
  ...sent,
  path: '/page/device/link',
  summary: 'Redirects to the provider whose account is to be linked',
  input: z.object({ provider: z.string().max(64) }),
})

export const showLinked = call({
  ...shown,
  path: '/page/device/linked',
  summary: 'Says that the account was linked',
  input: z.object({}),
})

/** `request` and `as`: the request and the user that the page showed. */
export const decideDevice = call({
  ...sent,
  path: '/page/device/decision',
  summary: 'Approves or refuses',
  input: z.object({
    decision: z.enum(['approve', 'refuse']),
    request: z.string().optional(),
    as: z.string().optional(),
  }),
})
