import { expect, it } from 'vitest'
import { newerForms, newerSuccesses, olderCode, successFor, wireFor } from './client-api.ts'
import { catalogue } from './errors.ts'
import { codeInBody, fillField, wireOf } from './failure.ts'

it('leaves everything as it is for clients of 1.2', () => {
  for (const { failure, field, at = ['/any'] } of newerForms)
    expect(wireFor('1.2', at[0]!, { failure, field })).toEqual({ ...wireOf(failure, field), details: undefined })
})

it.each(newerForms)('answers $failure in the terms of 1.7 where the table says so', (form) => {
  const { failure, field, at, code, message, details, status = catalogue[failure].status } = form
  const told = wireFor('1.7', at?.[0] ?? '/any', { failure, field })
  expect([told.status, codeInBody(told.body)]).toEqual([status, code])
  expect(JSON.stringify(told.body)).not.toContain('{field}')
  expect(told.body).toMatchObject(message === undefined ? {} : { message: fillField(message, field) })
  expect(told.details).toEqual(details ?? told.details)
})

it('answers with success what is none of a refusal for 1.7, at its call alone', () => {
  for (const { failure, at, answer } of newerSuccesses)
    expect([
      successFor('1.7', at, failure),
      successFor('1.2', at, failure),
      successFor('1.7', '/any', failure),
    ]).toEqual([answer, undefined, undefined])
})

const elsewhere = newerForms.filter(
  ({ failure, at }) => at && !newerForms.some((one) => one.failure === failure && one.at === undefined),
)
it.each(elsewhere)('answers $failure of any other call as before', ({ failure, field }) => {
  expect(wireFor('1.7', '/any', { failure, field }).body).toEqual(wireOf(failure, field).body)
})

it('names the field that is meant without one, and takes a text for nothing but itself', () => {
  expect(wireFor('1.7', '/any', { failure: 'INVALID_REDIRECT_TARGET' })).toEqual(
    wireFor('1.7', '/any', { failure: 'INVALID_REDIRECT_TARGET', field: 'callbackURL' }),
  )
  expect(fillField('No {field}', "$& $'")).toBe("No $& $'")
})

it('names in each row something that differs', () => {
  for (const { failure, field, code, status = catalogue[failure].status } of newerForms) {
    const older = wireOf(failure, field)
    expect([failure, status, code]).not.toEqual([failure, older.status, codeInBody(older.body)])
  }
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
