import * as z from 'zod'
import { Session, SessionView } from '../entities.ts'
import { maxLabelLength } from '../text-rules.ts'
import { done } from './answers.ts'
import { call } from './call.ts'

/** True only for the exact text `true`. Any other text is false, never an error. */
const flag = z.string().optional()

/** Returns null without a session, never a failure. */
export const getSession = call({
  method: 'GET',
  path: '/get-session',
  summary: 'The current session with its user, or null',
  access: 'anyone',
  readsSession: true,
  input: z.object({ disableCookieCache: flag, disableRefresh: flag }),
  output: SessionView.nullable(),
  failures: ['SESSION_NOT_READ'],
})

/** The label is the only field of a session that its device chooses. Null or a blank text removes it. */
export const updateSession = call({
  method: 'POST',
  path: '/update-session',
  summary: 'Change the label of the current session',
  access: 'session',
  input: z.strictObject({ label: z.string().max(maxLabelLength).nullable().optional() }),
  output: z.object({ session: Session }),
  failures: ['NO_DATA_TO_UPDATE'],
  refreshesSession: true,
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
  output: done,
  failures: ['SESSION_NOT_FOUND'],
})

/** The current session ends too. */
export const revokeSessions = call({
  method: 'POST',
  path: '/revoke-sessions',
  summary: 'End all sessions of the signed-in user, including the current one, and their personal keys',
  access: 'session',
  input: z.object({}),
  output: done,
  failures: [],
})

/** The current session stays. */
export const revokeOtherSessions = call({
  method: 'POST',
  path: '/revoke-other-sessions',
  summary: 'End all sessions of the signed-in user except the current one, and their personal keys',
  access: 'session',
  input: z.object({}),
  output: done,
  failures: [],
})

/** How a session of this browser is named: by its token, or by the handle that the list shows. */
const sessionToken = z.object({ sessionToken: z.string() })

/**
 * One live session of each account that this browser keeps, with MULTI_SESSION. Only the active one shows its token,
 * the others a handle.
 */
export const listDeviceSessions = call({
  method: 'GET',
  path: '/multi-session/list-device-sessions',
  summary: 'The accounts that this browser is signed in to',
  access: 'anyone',
  readsSession: true,
  input: z.object({}),
  output: z.array(SessionView),
  failures: [],
})

export const setActiveSession = call({
  method: 'POST',
  path: '/multi-session/set-active',
  summary: 'Change to another account of this browser',
  access: 'visitor',
  input: sessionToken,
  output: SessionView,
  failures: ['INVALID_SESSION_TOKEN'],
  refreshesSession: true,
})

/** After the active session, another one of the browser becomes active. */
export const revokeDeviceSession = call({
  method: 'POST',
  path: '/multi-session/revoke',
  summary: 'Sign out of one account of this browser',
  access: 'session',
  input: sessionToken,
  output: done,
  failures: ['INVALID_SESSION_TOKEN'],
  refreshesSession: true,
})
