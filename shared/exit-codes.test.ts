import { expect, it } from 'vitest'
import { contract } from './contract/index.ts'
import { catalogue, type FailureName } from './errors.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'
import { codeInBody, wireOf } from './failure.ts'

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
    problemFound: 16,
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
  ['WRONG_EMAIL_OR_PASSWORD', 'signedOut'],
  ['WRONG_PASSWORD', 'signedOut'],
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
  // One message with two statuses: an outage must not look like a sign-out.
  ['SESSION_NOT_READ', 'server'],
])('%s ends with %s', (failure, exit) => {
  expect(exitOf(failure)).toBe(exitCodes[exit])
})

it('says of every failure of organizations whether it is missing, in conflict, forbidden or wrong', () => {
  const calls = [contract.organization, contract.member, contract.invitation, contract.team].flatMap(
    (group): { readonly failures: readonly FailureName[] }[] => Object.values(group),
  )
  const names = new Set(calls.flatMap(({ failures }) => failures))
  expect(Object.fromEntries([...names].sort().map((name) => [name, exitOf(name)]))).toMatchInlineSnapshot(`
    {
      "ALREADY_A_MEMBER": 7,
      "ALREADY_INVITED": 7,
      "EMAIL_VERIFICATION_REQUIRED": 5,
      "INVALID_EMAIL": 12,
      "INVITATION_CANCEL_FORBIDDEN": 5,
      "INVITATION_CREATE_FORBIDDEN": 5,
      "INVITATION_LIMIT_REACHED": 7,
      "INVITATION_NOT_FOUND": 6,
      "INVITATION_NOT_FOUND_FOR_RECIPIENT": 6,
      "INVITATION_NOT_RETRIEVED": 6,
      "INVITATION_ROLE_FORBIDDEN": 5,
      "INVITER_CANNOT_GRANT": 7,
      "INVITER_NOT_A_MEMBER": 7,
      "KEY_ADOPT_FORBIDDEN": 5,
      "KEY_REVOKE_FORBIDDEN": 5,
      "LAST_SEEN_FORBIDDEN": 5,
      "LAST_TEAM": 7,
      "MEMBERSHIP_LIMIT_REACHED": 7,
      "MEMBER_DELETE_FORBIDDEN": 5,
      "MEMBER_NOT_FOUND": 6,
      "MEMBER_UPDATE_FORBIDDEN": 5,
      "NOT_AUTHENTICATED": 4,
      "NOT_A_MEMBER": 6,
      "NOT_A_MEMBER_FORBIDDEN": 6,
      "NOT_A_MEMBER_UNAUTHORIZED": 6,
      "NOT_IN_TEAM": 5,
      "NOT_THE_RECIPIENT": 5,
      "NOT_YOUR_ORGANIZATION": 6,
      "NO_ACTIVE_ORGANIZATION": 6,
      "NO_ACTIVE_TEAM": 6,
      "ONLY_OWNER": 7,
      "ORGANIZATION_CREATION_FORBIDDEN": 5,
      "ORGANIZATION_DELETE_FORBIDDEN": 5,
      "ORGANIZATION_DELETION_OFF": 5,
      "ORGANIZATION_EXISTS": 7,
      "ORGANIZATION_ID_REQUIRED": 6,
      "ORGANIZATION_LIMIT_REACHED": 7,
      "ORGANIZATION_NOT_FOUND": 6,
      "ORGANIZATION_UPDATE_FORBIDDEN": 5,
      "ROLE_NOT_FOUND": 6,
      "SESSION_NOT_FRESH": 4,
      "SLUG_TAKEN": 7,
      "TEAMS_NOT_YOURS": 5,
      "TEAMS_OFF": 5,
      "TEAM_CREATE_FORBIDDEN": 5,
      "TEAM_DELETE_FORBIDDEN": 5,
      "TEAM_FULL": 7,
      "TEAM_LIMIT_REACHED": 7,
      "TEAM_NOT_FOUND": 6,
      "TEAM_NOT_YOURS_TO_DELETE": 5,
      "TEAM_UPDATE_FORBIDDEN": 5,
      "USER_NOT_FOUND": 6,
      "USER_NOT_FOUND_UNAUTHORIZED": 6,
    }
  `)
})

it('has an exit code above 1 for every failure of the catalogue', () => {
  const names = Object.keys(catalogue) as FailureName[]
  expect(names.length).toBeGreaterThan(50)
  expect(names.filter((name) => exitOf(name) <= exitCodes.failure)).toEqual([])
})

it('is not fooled by a code that names a part of every object', () => {
  expect(exitCodeOf(400, 'constructor')).toBe(exitCodes.rejected)
})

function exitOf(failure: FailureName): number {
  const { status, body } = wireOf(failure)
  return exitCodeOf(status, codeInBody(body))
}
