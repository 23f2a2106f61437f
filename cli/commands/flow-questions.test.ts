import { expect, test } from 'vitest'
import { passwordRules } from '../../shared/errors.ts'
import { wireOf } from '../../shared/failure.ts'
import { ServiceFailure } from '../client/errors.ts'
import type { Context } from '../context.ts'
import { signIn } from '../flows/auth/sign-in.ts'
import { signUp } from '../flows/auth/sign-up.ts'
import { createOrganization } from '../flows/org/create.ts'
import { runUntilAccepted } from './flow-questions.ts'
import { readValues } from './flow-values.ts'

const server = 'http://localhost:4100/api/auth'
const values = { email: 'ann@example.com', name: 'Ann', password: 'short', language: undefined, fields: [], server }
const nothingGiven = { words: [], given: {}, others: [] }

/** A terminal at which a person types these, one after the other. */
function terminal(...answers: string[]) {
  const asked: (readonly string[])[] = []
  const warned: string[] = []
  const context = {
    host: { env: {} },
    settings: { organization: {}, account: { value: undefined }, address: { value: { base: values.server } } },
    flags: {},
    checkPrompt: () => {},
    out: { warn: (text: string) => void warned.push(text) },
    ask: async (questions: Readonly<Record<string, { readonly repeat?: boolean }>>) => {
      const names = Object.keys(questions)
      const again = names.map((name) => (questions[name]?.repeat ? `${name} twice` : name))
      asked.push(again)
      return Object.fromEntries(names.map((name) => [name, answers.shift() ?? '']))
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
  const taken = await runUntilAccepted(context, signUp, { argv: nothingGiven, values, run })
  expect(taken).toEqual({ ...values, password: 'correct horse' })
  expect(asked).toEqual([['password twice'], ['password twice']])
  expect(warned).toEqual([
    'Password too short: choose another one, at least 8 characters',
    'Password too common: choose another one',
  ])
})

test('nobody is asked where a file or a variable says it, or for anything else', async () => {
  const { context, asked } = terminal()
  const fromFile = { ...nothingGiven, given: { password: 'secret.txt' } }
  await expect(runUntilAccepted(context, signUp, { argv: fromFile, values, run })).rejects.toThrow('Password too short')
  const other = { ...values, email: 'bob@example.com', password: 'correct horse' }
  await expect(runUntilAccepted(context, signUp, { argv: nothingGiven, values: other, run })).rejects.toThrow('exists')
  expect(asked).toEqual([])
})

test('a wrong password is asked for three times, and by no file', async () => {
  const wrong = new ServiceFailure(401, { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Invalid email or password' })
  const tried: string[] = []
  const refuse = ({ password }: { readonly password: string }) => {
    tried.push(password)
    return Promise.reject(wrong)
  }
  const at = terminal('second', 'third', 'fourth')
  const typed = { argv: nothingGiven, values: { ...values, remember: true }, run: refuse }
  await expect(runUntilAccepted(at.context, signIn, typed)).rejects.toBe(wrong)
  expect(tried).toEqual(['short', 'second', 'third'])
  expect(at.warned).toEqual([
    'Invalid email or password: type it again, 2 tries left',
    'Invalid email or password: type it again, 1 try left',
  ])
  const fromFile = { ...nothingGiven, given: { password: '-' } }
  await expect(runUntilAccepted(at.context, signIn, { ...typed, argv: fromFile })).rejects.toBe(wrong)
  expect(tried).toHaveLength(4)
})

test('a slug that is none, or taken, is asked for again; one that stands in the line is an error', async () => {
  const at = terminal('no slug', 'taken', 'none either', 'free')
  const argv = { ...nothingGiven, given: { name: 'Acme' } }
  const typed = await readValues(at.context, createOrganization, argv)
  expect(typed).toMatchObject({ name: 'Acme', slug: 'taken' })
  const taken = new ServiceFailure(400, { code: 'ORGANIZATION_ALREADY_EXISTS', message: 'Organization already exists' })
  const create = (now: typeof typed) => (now.slug === 'taken' ? Promise.reject(taken) : Promise.resolve(now))
  const made = await runUntilAccepted(at.context, createOrganization, { argv, values: typed, run: create })
  expect(made).toEqual({ ...typed, slug: 'free' })
  expect(at.warned).toEqual([
    'A slug has letters, digits and dashes, at most 64',
    'Organization already exists: choose another one',
    'A slug has letters, digits and dashes, at most 64',
  ])
  const inLine = { ...argv, given: { name: 'Acme', slug: 'no slug' } }
  await expect(readValues(at.context, createOrganization, inLine)).rejects.toMatchObject({ fields: ['--slug'] })
})

test('what is asked for again is what the rules of the service refuse', () => {
  const codes = passwordRules.map((name) => Object(wireOf(name).body).code)
  expect(codes).toEqual([...passwordRules])
})
