import { expect, test } from 'vitest'
import { catalogue, type FailureName } from '../../../shared/errors.ts'
import { codeInBody, wireOf } from '../../../shared/failure.ts'
import { ServiceFailure } from '../../client/errors.ts'
import { stopImpersonationHint } from '../../flows/admin/impersonation.ts'
import { sessionEndNotice } from '../state/app-state.ts'
import { toScreenHint, toShownError } from './shown-error.ts'

test.each([
  ['Choose another slug', 'Choose another slug'],
  ['postern sign-in', '2 lists the accounts and signs in.'],
  ['Begin again: postern sign-in --device', '2 lists the accounts and signs in.'],
  [
    'The sign-in page lists its providers: postern sign-in --device',
    'Without a provider, the sign-in page lists them all.',
  ],
  [
    'It has google, github. The sign-in page lists its providers: postern sign-in --device',
    'It has google, github. Without a provider, the sign-in page lists them all.',
  ],
  [
    'Did you mean google? The sign-in page lists its providers: postern sign-in --device',
    'Did you mean google? Without a provider, the sign-in page lists them all.',
  ],
])('of `%s` a screen says what its keys can do', (hint, said) => {
  expect(toScreenHint(hint)).toBe(said)
})

test.each(['INVITER_NOT_A_MEMBER', 'INVITER_CANNOT_GRANT'] as const)('of %s a screen says whom to ask', (name) => {
  const { status, body } = wireOf(name)
  expect(toShownError(new ServiceFailure(status, { code: codeInBody(body) })).hint).toBe('Ask for a new invitation.')
})

test('no hint names a letter as a key: keys can be changed, and the conversation has none', () => {
  const refusals = (Object.keys(catalogue) as FailureName[]).map((name) => {
    const { status, body } = wireOf(name)
    return toShownError(new ServiceFailure(status, { code: codeInBody(body) })).hint
  })
  const account = { origin: 'http://localhost', email: 'ada@example.com', file: '', isCurrent: true, isSignedIn: false }
  const ended = sessionEndNotice({ account, server: account.origin, how: 'impersonation' }).hint
  const hints = [...refusals, ended, toScreenHint(stopImpersonationHint)]
  expect(hints.filter((hint) => /(?:^|\. )(?!A )[A-Za-z] |Press /.test(hint ?? ''))).toEqual([])
})
