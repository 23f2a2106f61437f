/** Exit codes of the command line (`postern help exit-codes`). */
export const exitCodes = {
  done: 0,
  failure: 1,
  usage: 2,
  cancelled: 3,
  signedOut: 4,
  forbidden: 5,
  notFound: 6,
  conflict: 7,
  pending: 8,
  rateLimited: 9,
  network: 10,
  server: 11,
  rejected: 12,
  partial: 13,
  inputNeeded: 14,
  localState: 15,
  interrupted: 130,
  terminated: 143,
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Wire codes that say more than their status does. */
const byCode: Readonly<Record<string, ExitCode>> = {
  INVALID_EMAIL_OR_PASSWORD: exitCodes.rejected,
  USER_ALREADY_EXISTS: exitCodes.conflict,
  SESSION_NOT_FOUND: exitCodes.notFound,
  FAILED_TO_GET_SESSION: exitCodes.signedOut,
  SESSION_IS_NOT_FRESH: exitCodes.signedOut,
  SESSION_EXPIRED_REAUTHENTICATE_TO_PERFORM_THIS_ACTION: exitCodes.signedOut,
  COULDNT_UPDATE_YOUR_EMAIL: exitCodes.conflict,
  // Of a mailed link: they say nothing of a session, whatever their status.
  INVALID_TOKEN: exitCodes.rejected,
  TOKEN_EXPIRED: exitCodes.rejected,
  USER_NOT_FOUND: exitCodes.notFound,
}

const byStatus: Readonly<Record<number, ExitCode>> = {
  401: exitCodes.signedOut,
  403: exitCodes.forbidden,
  404: exitCodes.notFound,
  409: exitCodes.conflict,
  429: exitCodes.rateLimited,
}

/** The exit code for a refusal of the service: by its wire code, else by its status. */
export function exitCodeOf(status: number, code?: string): ExitCode {
  // Before the code: an outage may say the same sentence as a missing session.
  if (status >= 500) return exitCodes.server
  if (code !== undefined && Object.hasOwn(byCode, code)) return byCode[code] ?? exitCodes.failure
  return byStatus[status] ?? exitCodes.rejected
}
