import { expect, it } from 'vitest'
import { catalogue, type FailureName } from './errors.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'
import { wireOf } from './failure.ts'

it('keeps the codes that scripts rely on', () => {
  expect(exitCodes).toEqual({
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
  })
})

it.each<[FailureName, keyof typeof exitCodes]>([
  ['UNAUTHORIZED', 'signedOut'],
  ['NO_SESSION_TO_END', 'signedOut'],
  ['BANNED_USER', 'forbidden'],
  ['INVALID_ORIGIN', 'forbidden'],
  ['NOT_FOUND', 'notFound'],
  ['SESSION_NOT_FOUND', 'notFound'],
  ['USER_EXISTS', 'conflict'],
  ['TOO_MANY_REQUESTS', 'rateLimited'],
  ['WRONG_EMAIL_OR_PASSWORD', 'rejected'],
  ['INVALID_EMAIL', 'rejected'],
  ['INVALID_BODY', 'rejected'],
  ['PASSWORD_TOO_SHORT', 'rejected'],
  ['PASSWORD_TOO_COMMON', 'rejected'],
  ['EMAIL_NOT_VERIFIED', 'forbidden'],
  ['SESSION_NOT_FRESH', 'signedOut'],
  ['SESSION_TOO_OLD', 'signedOut'],
  ['EMAIL_NOT_AVAILABLE', 'conflict'],
  ['LINK_TOKEN_INVALID', 'rejected'],
  ['LINK_TOKEN_EXPIRED', 'rejected'],
  ['LINK_USER_NOT_FOUND', 'notFound'],
  ['LINK_UNAUTHORIZED', 'signedOut'],
  ['RESET_TOKEN_INVALID', 'rejected'],
  ['DELETE_TOKEN_INVALID', 'rejected'],
  ['INTERNAL_SERVER_ERROR', 'server'],
  ['SERVICE_UNAVAILABLE', 'server'],
  // One sentence, two statuses: an outage must not look like a sign-out.
  ['SESSION_NOT_READ', 'server'],
])('%s ends with %s', (failure, exit) => {
  expect(exitOf(failure)).toBe(exitCodes[exit])
})

it('has an exit code above 1 for every failure of the catalogue', () => {
  const names = Object.keys(catalogue) as FailureName[]
  expect(names.filter((name) => exitOf(name) <= exitCodes.failure)).toEqual([])
})

it('is not fooled by a code that names a part of every object', () => {
  expect(exitCodeOf(400, 'constructor')).toBe(exitCodes.rejected)
})

function exitOf(failure: FailureName): number {
  const { status, body } = wireOf(failure)
  return exitCodeOf(status, body && 'code' in body ? body.code : undefined)
}
