import { type FailureKind, kindOfStatus } from './errors.ts'
import { kindOfCode } from './failure.ts'

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
  problemFound: 16,
  interrupted: 130,
  terminated: 143,
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

const exitCodeOfKind: Readonly<Record<FailureKind, ExitCode>> = {
  'signed-out': exitCodes.signedOut,
  forbidden: exitCodes.forbidden,
  'not-found': exitCodes.notFound,
  conflict: exitCodes.conflict,
  rejected: exitCodes.rejected,
  pending: exitCodes.pending,
  'rate-limited': exitCodes.rateLimited,
  server: exitCodes.server,
}

/** The exit code for a failed call: from its wire code, or else its status. */
export function exitCodeOf(status: number, code?: string): ExitCode {
  // Status first: an outage may have the same message as a missing session.
  if (status >= 500) return exitCodes.server
  return exitCodeOfKind[kindOfCode(code) ?? kindOfStatus(status)]
}
