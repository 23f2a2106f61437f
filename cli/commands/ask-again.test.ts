import { expect, test } from 'vitest'
import { passwordRules } from '../../shared/errors.ts'
import { wireOf } from '../../shared/failure.ts'
import { ServiceFailure } from '../client/client.ts'
import type { Context } from '../context.ts'
import { passwordRefusals } from '../flows/account/fields.ts'
import { signUp } from '../flows/auth/sign-up.ts'
import { runUntilTaken } from './ask-again.ts'

const values = { email: 'ann@example.com', name: 'Ann', password: 'short', server: 'http://localhost:4100/api/auth' }
const nothingGiven = { words: [], given: {}, others: [] }

/** A terminal at which a person types these, one after the other. */
function terminal(...answers: string[]) {
  const asked: (readonly string[])[] = []
  const warned: string[] = []
  const context = {
    host: { env: {} },
    settings: { account: { value: undefined } },
    out: { warn: (text: string) => void warned.push(text) },
    ask: async (questions: Readonly<Record<string, { readonly repeat?: boolean }>>) => {
      asked.push(Object.keys(questions))
      expect(questions['password']?.repeat).toBe(true)
      return { password: answers.shift() ?? '' }
    },
  } as unknown as Context
  return { context, asked, warned }
}

/** Refuses what is shorter than eight characters, or common. */
async function service(given: typeof values) {
  const refuse = (code: string, message: string, limit?: number) =>
    new ServiceFailure(400, { code, message }, { limit })
  if (given.password.length < 8) throw refuse('PASSWORD_TOO_SHORT', 'Password too short', 8)
  if (given.password === 'password1') throw refuse('PASSWORD_TOO_COMMON', 'Password too common')
  if (given.email !== values.email) throw refuse('USER_ALREADY_EXISTS', 'User already exists')
  return given
}

const run = service as never

test('a password that the service refuses is asked for again, as often as it takes, and the rest stays', async () => {
  const { context, asked, warned } = terminal('password1', 'correct horse')
  const taken = await runUntilTaken(context, signUp, { argv: nothingGiven, values, run })
  expect(taken).toEqual({ ...values, password: 'correct horse' })
  expect(asked).toEqual([['password'], ['password']])
  expect(warned).toEqual([
    'Password too short: choose another one, at least 8 characters',
    'Password too common: choose another one',
  ])
})

test('nobody is asked where a file or a variable says it, or for anything else', async () => {
  const { context, asked } = terminal()
  const fromFile = { ...nothingGiven, given: { password: 'secret.txt' } }
  await expect(runUntilTaken(context, signUp, { argv: fromFile, values, run })).rejects.toThrow('Password too short')
  const other = { ...values, email: 'bob@example.com', password: 'correct horse' }
  await expect(runUntilTaken(context, signUp, { argv: nothingGiven, values: other, run })).rejects.toThrow('exists')
  expect(asked).toEqual([])
})

test('what is asked for again is what the rules of the service refuse', () => {
  const codes = passwordRules.map((name) => Object(wireOf(name).body).code)
  expect([...passwordRefusals].toSorted()).toEqual(codes.map(String).toSorted())
})
