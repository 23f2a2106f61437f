import { describe, expect, it } from 'vitest'
import { catalogue, edgeFailures, type FailureName } from './errors.ts'
import { codeOf, wireOf } from './failure.ts'

const names = Object.keys(catalogue) as FailureName[]

// Clients and scripts switch over these: a change here is a breaking change and has to look like one.
it('keeps status and body of every failure', () => {
  const lines = names.map((name) => `${name}: ${catalogue[name].status} ${JSON.stringify(wireOf(name).body)}`)
  expect(lines.join('\n')).toMatchSnapshot()
})

it('keeps the names of the failures that belong to every call', () => {
  expect([...edgeFailures]).toMatchSnapshot()
})

describe('the wire code', () => {
  it.each([
    ['Invalid email or password', 'INVALID_EMAIL_OR_PASSWORD'],
    ['invalid_token', 'INVALID_TOKEN'],
    ['invalid token', 'INVALID_TOKEN'],
    ['id_token not supported', 'ID_TOKEN_NOT_SUPPORTED'],
    ["You can't unlink your last account", 'YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT'],
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
    expect(codeOf(sentence)).toBe(code)
  })

  it('names the field of a refused redirect target', () => {
    expect(wireOf('INVALID_REDIRECT_TARGET', 'redirectTo').body).toEqual({
      code: 'INVALID_REDIRECTTO',
      message: 'Invalid redirectTo',
    })
  })
})
