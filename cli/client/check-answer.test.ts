import { expect, test } from 'vitest'
import type { Call } from '../../shared/contract/call.ts'
import { list, remove } from '../../shared/contract/organization.ts'
import { checkAnswer } from './check-answer.ts'

const repeats = { email: 'user.email' }
const change: Call = { ...remove, repeats }
const question: Call = { ...change, isReading: true }
const look: Call = { ...list, repeats }

const of = (email: string) => ({ user: { email } })
const ann = { email: 'ann@example.com' }

interface Told {
  readonly asked?: object
  readonly answer: unknown
}

test.each<[string, Call, Told]>([
  ['the address in other letters', change, { asked: ann, answer: of('Ann@Example.com') }],
  ['nobody, where that may be', look, { asked: ann, answer: [] }],
  ['no, to a question', question, { answer: { success: false } }],
  ['an organization, where none was named', change, { answer: { organizationId: 'o2' } }],
])('an answer may tell %s', (_, call, { asked, answer }) => {
  expect(() => checkAnswer(call, asked, answer)).not.toThrow()
})

const hints = {
  POST: 'The change may or may not have been made: check before you repeat it',
  GET: 'Check that the address is right: postern auth status --explain',
}

test.each<[string, Call, Told & { readonly refused: string }]>([
  ['somebody else', change, { asked: ann, answer: of('bob@example.com'), refused: 'is about something else' }],
  [
    'somebody else in a list',
    look,
    { asked: ann, answer: [of(ann.email), of('bob@example.com')], refused: 'is about something else' },
  ],
  [
    'another organization',
    change,
    { asked: { organizationId: 'o1' }, answer: { organizationId: 'o2' }, refused: 'is about something else' },
  ],
  ['nobody after a change', change, { asked: ann, answer: { user: null }, refused: 'does not say what was changed' }],
  ['that nothing was done', change, { answer: { status: false }, refused: 'says that it was not done' }],
  ['no success of a change', change, { answer: { success: false }, refused: 'says that it was not done' }],
])('an answer that tells %s is refused', (_, call, { asked, answer, refused }) => {
  const message = `The answer to ${call.method} ${call.path} ${refused}`
  const error = { message, hint: hints[call.method], exitCode: 11 }
  expect(() => checkAnswer(call, asked, answer)).toThrow(expect.objectContaining(error))
})
