import * as z from 'zod'
import { Session, SessionView } from '../entities.ts'
import { call } from './call.ts'

/** True only for the exact text `true`; any other text is false, never an error (contract 1.13). */
const flag = z.string().optional()

const status = z.object({ status: z.boolean() })

/** Contract section 3 and 5.3. */
export const getSession = call({
  method: 'GET',
  path: '/get-session',
  summary: 'The current session with its user, or null',
  access: 'anyone',
  input: z.object({ disableCookieCache: flag, disableRefresh: flag }),
  output: SessionView.nullable(),
  failures: ['SESSION_NOT_READ'],
})

/** Contract 5.4: the caller's unexpired sessions; only the current one shows its token. */
export const listSessions = call({
  method: 'GET',
  path: '/list-sessions',
  summary: 'The sessions of the signed-in user',
  access: 'session',
  input: z.object({}),
  output: z.array(Session),
  failures: [],
})

/** Contract 5.5: takes the token itself or the handle from list-sessions. */
export const revokeSession = call({
  method: 'POST',
  path: '/revoke-session',
  summary: 'End one session by its token or handle',
  access: 'session',
  input: z.object({ token: z.string() }),
  output: status,
  failures: ['SESSION_NOT_FOUND'],
})

/** Contract 5.6. */
export const revokeSessions = call({
  method: 'POST',
  path: '/revoke-sessions',
  summary: 'End all sessions of the signed-in user, the current one too',
  access: 'session',
  input: z.object({}),
  output: status,
  failures: [],
})

/** Contract 5.6. */
export const revokeOtherSessions = call({
  method: 'POST',
  path: '/revoke-other-sessions',
  summary: 'End all sessions of the signed-in user but the current one',
  access: 'session',
  input: z.object({}),
  output: status,
  failures: [],
})
