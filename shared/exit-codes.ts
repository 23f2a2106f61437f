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

/** Of organizations. A foreign one is as if it were not there, whatever status says so. */
const ofOrganizations: Readonly<Record<string, ExitCode>> = {
  USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION: exitCodes.notFound,
  YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION: exitCodes.notFound,
  ORGANIZATION_NOT_FOUND: exitCodes.notFound,
  NO_ACTIVE_ORGANIZATION: exitCodes.notFound,
  ORGANIZATION_ID_IS_REQUIRED: exitCodes.notFound,
  MEMBER_NOT_FOUND: exitCodes.notFound,
  TEAM_NOT_FOUND: exitCodes.notFound,
  ROLE_NOT_FOUND: exitCodes.notFound,
  INVITATION_NOT_FOUND: exitCodes.notFound,
  FAILED_TO_RETRIEVE_INVITATION: exitCodes.notFound,
  ORGANIZATION_ALREADY_EXISTS: exitCodes.conflict,
  SLUG_IS_TAKEN: exitCodes.conflict,
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: exitCodes.conflict,
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: exitCodes.conflict,
  INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION: exitCodes.conflict,
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER: exitCodes.conflict,
  UNABLE_TO_REMOVE_LAST_TEAM: exitCodes.conflict,
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS: exitCodes.conflict,
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS: exitCodes.conflict,
  ORGANIZATION_MEMBERSHIP_LIMIT_REACHED: exitCodes.conflict,
  INVITATION_LIMIT_REACHED: exitCodes.conflict,
  // 401 on the wire, and no word about the session.
  YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER: exitCodes.forbidden,
  TEAMS_ARE_NOT_ENABLED: exitCodes.forbidden,
}

const codes = { ...byCode, ...ofOrganizations }

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
  if (code !== undefined && Object.hasOwn(codes, code)) return codes[code] ?? exitCodes.failure
  return byStatus[status] ?? exitCodes.rejected
}
