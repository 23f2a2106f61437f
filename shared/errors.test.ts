import { describe, expect, it } from 'vitest'
import { contract } from './contract/index.ts'
import { catalogue, edgeFailures, type FailureName, kindOf } from './errors.ts'
import { codeInBody, type FailureCode, findByCode, kindOfCode, wireCodeOf, wireOf } from './failure.ts'

const names = Object.keys(catalogue) as FailureName[]

// Clients and scripts switch on these codes, so a change here is a breaking change and must look like one.
it('keeps status and body of every failure', () => {
  const lines = names.map((name) => `${name}: ${catalogue[name].status} ${JSON.stringify(wireOf(name).body)}`)
  expect(lines.join('\n')).toMatchSnapshot()
})

it('keeps the names of the failures that belong to every call', () => {
  expect([...edgeFailures]).toMatchSnapshot()
})

// A test of the service checks that a request reaches each listed failure.
it('has no failure that neither the edge nor a call answers', () => {
  const calls = Object.values(contract).flatMap((group): { readonly failures: readonly string[] }[] =>
    Object.values(group),
  )
  const listed = new Set(calls.flatMap(({ failures }) => failures))
  expect([names.length > 50, listed.size > 50]).toEqual([true, true])
  expect(names.filter((name) => !edgeFailures.has(name) && !listed.has(name))).toEqual([])
})

it('means one thing by each code below 500', () => {
  const told = names.filter((name) => catalogue[name].status < 500 && codeInBody(wireOf(name).body) !== undefined)
  const kinds = told.map((name) => [name, kindOfCode(codeInBody(wireOf(name).body))])
  expect(kinds).toEqual(told.map((name) => [name, kindOf(name)]))
})

it('finds in a table what it has of its own', () => {
  const table = { INVALID_EMAIL: 'mistyped' }
  expect(findByCode(table, 'INVALID_EMAIL')).toBe('mistyped')
  expect(findByCode(table, 'constructor')).toBeUndefined()
})

describe('the wire code', () => {
  it.each<[string, FailureCode]>([
    ['Invalid email or password', 'INVALID_EMAIL_OR_PASSWORD'],
    ['invalid_token', 'INVALID_TOKEN'],
    ['invalid token', 'INVALID_TOKEN'],
    [
      'Session expired. Re-authenticate to perform this action.',
      'SESSION_EXPIRED_REAUTHENTICATE_TO_PERFORM_THIS_ACTION',
    ],
    ["Verification email isn't enabled", 'VERIFICATION_EMAIL_ISNT_ENABLED'],
    ["Couldn't update your email", 'COULDNT_UPDATE_YOUR_EMAIL'],
    ['Invitation not found!', 'INVITATION_NOT_FOUND'],
    ['slug is taken', 'SLUG_IS_TAKEN'],
    ['Invalid callbackURL', 'INVALID_CALLBACKURL'],
  ])('of "%s" is %s', (sentence, code) => {
    expect(wireCodeOf(sentence)).toBe(code)
  })

  it('names the field of a refused redirect target', () => {
    expect(wireOf('INVALID_REDIRECT_TARGET', 'redirectTo').body).toEqual({
      code: 'INVALID_REDIRECTTO',
      message: 'Invalid redirectTo',
    })
  })
})
