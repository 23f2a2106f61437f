import { expect, it } from 'vitest'
import { newerForms, olderCode, wireFor } from './client-api.ts'
import { catalogue } from './errors.ts'
import { codeInBody, wireOf } from './failure.ts'

it('leaves everything as it is for clients of 1.2', () => {
  for (const { failure, field, at = ['/any'] } of newerForms)
    expect(wireFor('1.2', at[0]!, { failure, field })).toEqual({ ...wireOf(failure, field), details: undefined })
})

it('answers each row of the table in the terms of 1.7, and other calls as before', () => {
  for (const { failure, field, at, code, status = catalogue[failure].status } of newerForms) {
    const told = wireFor('1.7', at?.[0] ?? '/any', { failure, field })
    expect([failure, told.status, codeInBody(told.body)]).toEqual([failure, status, code])
  }
  expect(wireFor('1.7', '/sign-in/email', { failure: 'INVALID_EMAIL' }).body).toEqual(wireOf('INVALID_EMAIL').body)
})

it('names in each row something that differs', () => {
  for (const { failure, field, code } of newerForms)
    expect([failure, code]).not.toEqual([failure, codeInBody(wireOf(failure, field).body)])
})

it.each([
  ['USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL', 'USER_ALREADY_EXISTS'],
  ['ORGANIZATION_SLUG_ALREADY_TAKEN', 'SLUG_IS_TAKEN'],
  ['SESSION_NOT_FRESH', 'SESSION_IS_NOT_FRESH'],
  ['INVALID_ERROR_CALLBACK_URL', 'INVALID_ERRORCALLBACKURL'],
  // It means several things, or the same in both.
  ['OAUTH_LINK_ERROR', 'OAUTH_LINK_ERROR'],
  ['VALIDATION_ERROR', 'VALIDATION_ERROR'],
  ['YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION', 'YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION'],
  ['TOKEN_REFRESH_NOT_SUPPORTED', 'TOKEN_REFRESH_NOT_SUPPORTED'],
  ['UNAUTHORIZED', 'UNAUTHORIZED'],
  ['MEMBER_NOT_FOUND', 'MEMBER_NOT_FOUND'],
  [undefined, undefined],
])('a program that reads %s knows %s', (newer, older) => {
  expect(olderCode(newer)).toBe(older)
})
