import * as z from 'zod'
import { Session, SessionView } from '../entities.ts'
import { call } from './call.ts'

/** True only for the exact text `true`. Any other text is false, never an error. */
const flag = z.string().optional()

const status = z.object({ status: z.boolean() })

/** Returns null without a session, never a failure. */
export const getSession = call({
  method: 'GET',
  path: '/get-session',
  summary: 'The current session with its user, or null',
  access: 'anyone',
  input: z.object({ disableCookieCache: flag, disableRefresh: flag }),
  output: SessionView.nullable(),
  failures: ['SESSION_NOT_READ'],
})

/** Lists the caller's live sessions. Only the current one shows its token. */
export const listSessions = call({
  method: 'GET',
  path: '/list-sessions',
  summary: 'The sessions of the signed-in user',
  access: 'session',
  input: z.object({}),
  output: z.array(Session),
  failures: [],
})

/** Accepts a token, or a handle from list-sessions. */
export const revokeSession = call({
  method: 'POST',
  path: '/revoke-session',
  summary: 'End one session by its token or handle',
  access: 'session',
  input: z.object({ token: z.string() }),
  output: status,
  failures: ['SESSION_NOT_FOUND'],
})

/** The current session ends too. */
export const revokeSessions = call({
  method: 'POST',
  path: '/revoke-sessions',
  summary: 'End all sessions of the signed-in user, including the current one, and their personal keys',
  access: 'session',
  input: z.object({}),
  output: status,
  failures: [],
})

/** The current session stays. */
export const revokeOtherSessions = call({
  method: 'POST',
  path: '/revoke-other-sessions',
  summary: 'End all sessions of the signed-in user except the current one, and their personal keys',
  access: 'session',
  input: z.object({}),
  output: status,
  failures: [],
})
