import { expect, test } from 'vitest'
import { ServiceFailure } from '../client/errors.ts'
import type { Context } from '../context.ts'
import type { FlowContext } from '../flows/flow-context.ts'
import { invite } from '../flows/invitation/sent.ts'
import { createKey } from '../flows/key/new-key.ts'
import { CliError } from '../output/cli-error.ts'
import type { Question } from '../prompt/ask.ts'
import { readValues } from './flow-values.ts'

const unsaid = { words: ['zoe@example.com'], given: { email: ['zoe@example.com'] }, others: [] }

/** A service with these roles, and a person who is asked. */
function terminal(listRoles: () => Promise<readonly { readonly role: string }[]>) {
  const asked: Question[] = []
  const looks: string[] = []
  const context = {
    host: { env: {} },
    settings: {},
    flags: {},
    checkPrompt: () => {},
    ask: async (questions: Readonly<Record<string, Question>>) => {
      asked.push(...Object.values(questions))
      return Object.fromEntries(Object.keys(questions).map((name) => [name, 'member']))
    },
  } as unknown as Context
  const counted = () => (looks.push('roles'), listRoles())
  const flowContext = {
    signedIn: async () => ({ api: { role: { listRoles: counted } } }),
  } as unknown as FlowContext
  return { context, flowContext, asked, looks }
}

const roles = (...names: string[]) =>
  Promise.resolve(names.map((role) => ({ role, permissions: role === 'owner' ? { organization: ['delete'] } : {} })))

test('the usual role is proposed where there is one, and one that is not there is asked for again', async () => {
  const { context, flowContext, asked } = terminal(() => roles('owner', 'member'))
  expect(await readValues(context, invite, unsaid, flowContext)).toMatchObject({ roles: ['member'] })
  expect(asked).toMatchObject([{ label: 'Roles', proposal: 'member' }])
  expect(asked[0]?.problem?.('owner, king')).toBe('Roles: there is no king, only owner, member')
  expect(asked[0]?.problem?.(' owner , member')).toBeUndefined()
  const others = terminal(() => roles('owner', 'guest'))
  await readValues(others.context, invite, unsaid, others.flowContext)
  expect(others.asked).toMatchObject([{ proposal: '' }])
})

test('no other list proposes that role', async () => {
  const { context, flowContext, asked } = terminal(() => roles('owner', 'member'))
  await readValues(context, createKey, { words: [], given: { name: 'deploy' }, others: [] }, flowContext)
  expect(asked).toMatchObject([{ label: 'Roles', proposal: '' }])
})

test('the service is not asked where the role is given, or nobody can be asked', async () => {
  const { context, flowContext, asked, looks } = terminal(() => roles('member'))
  const given = { ...unsaid, given: { ...unsaid.given, roles: 'king' } }
  expect(await readValues(context, invite, given, flowContext)).toMatchObject({ roles: ['king'] })
  const closed = Object.assign(Object.create(context), {
    checkPrompt: () => {
      throw new CliError(14, 'Nobody to ask', { code: 'INPUT_NEEDED' })
    },
  }) as Context
  await expect(readValues(closed, invite, unsaid, flowContext)).rejects.toMatchObject({ code: 'INPUT_NEEDED' })
  expect([asked, looks]).toEqual([[], []])
})

test('who may not see the roles is asked all the same; any other failure is told at once', async () => {
  const refuse = (status: number, code: string) => () => Promise.reject(new ServiceFailure(status, { code }))
  const { context, flowContext, asked } = terminal(refuse(403, 'FORBIDDEN'))
  expect(await readValues(context, invite, unsaid, flowContext)).toMatchObject({ roles: ['member'] })
  expect(asked[0]?.problem?.('king')).toBeUndefined()
  const expired = terminal(refuse(401, 'UNAUTHORIZED'))
  await expect(readValues(expired.context, invite, unsaid, expired.flowContext)).rejects.toMatchObject({
    status: 401,
    code: 'UNAUTHORIZED',
  })
  expect(expired.asked).toEqual([])
})
