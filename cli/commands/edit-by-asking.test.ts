import { expect, test } from 'vitest'
import { ServiceFailure } from '../client/errors.ts'
import type { Context } from '../context.ts'
import type { FlowContext } from '../flows/flow-context.ts'
import { editOrganization } from '../flows/org/create.ts'
import type { Question } from '../prompt/ask.ts'
import { editByAsking } from './edit-by-asking.ts'
import { asksForEdits } from './flow-command.ts'

const acme = { id: 'o1', name: 'Acme', slug: 'acme', logo: 'https://acme.example/l.png', metadata: { plan: 'pro' } }
const nothingGiven = { words: ['acme'], given: {}, others: [] }

/** A person who answers some of the questions, and takes what is proposed for the others. */
function terminal(...answers: Readonly<Record<string, string>>[]) {
  const asked: Readonly<Record<string, Question>>[] = []
  const warned: string[] = []
  const context = {
    flags: {},
    settings: { address: { value: {} }, organization: {} },
    host: { env: {} },
    out: { warn: (text: string) => void warned.push(text) },
    ask: async (questions: Readonly<Record<string, Question>>) => {
      asked.push(questions)
      const kept = Object.entries(questions).map(([name, { proposal = '' }]) => [name, proposal])
      return { ...Object.fromEntries(kept), ...answers.shift() }
    },
  } as unknown as Context
  return { context, asked, warned }
}

/** The flow before a service that refuses the slug `beta`. */
function editing() {
  const sent: unknown[] = []
  const found: FlowContext[] = []
  const flow = {
    ...editOrganization,
    // No service is there that could tell them.
    own: undefined,
    subject: { ...editOrganization.subject, finder: async (context: FlowContext) => () => found.push(context) && acme },
    run: async (_: unknown, __: unknown, values: { readonly slug?: string | undefined }) => {
      sent.push(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)))
      if (values.slug !== 'beta') return { sentence: 'Updated', status: 'updated', resource: acme }
      throw new ServiceFailure(400, { code: 'ORGANIZATION_ALREADY_EXISTS', message: 'Organization already exists' })
    },
  } as unknown as typeof editOrganization
  return { flow, sent, found }
}

test('each field is asked for with what is there proposed, and only what was changed is sent', async () => {
  const { context, asked } = terminal({ name: 'Acme Inc.' })
  const { flow, sent, found } = editing()
  expect(await editByAsking(context, flow, nothingGiven)).toMatchObject({ status: 'updated' })
  expect(found).toMatchObject([{ kept: {} }])
  expect(sent).toEqual([{ name: 'Acme Inc.' }])
  const questions = Object.values(asked[0] ?? {}).map(({ label, proposal, mayBeEmpty }) => [
    label,
    proposal,
    mayBeEmpty,
  ])
  expect(questions).toEqual([
    ['Name', 'Acme', false],
    ['Slug', 'acme', false],
    ['Logo URL', acme.logo, true],
  ])
  expect(asked[0]?.['slug']?.problem?.('no slug')).toBe('A slug has letters, digits and dashes, at most 64')
})

test('what was emptied is removed; where all is kept nothing is sent', async () => {
  const { flow, sent } = editing()
  await editByAsking(terminal({ logo: '' }).context, flow, nothingGiven)
  expect(sent).toEqual([{ logo: '' }])
  expect(await editByAsking(terminal().context, flow, nothingGiven)).toMatchObject({
    sentence: 'Nothing was changed',
    status: 'unchanged',
  })
  expect(sent).toHaveLength(1)
})

test('what the service refuses is asked for again alone, and the other answers stay', async () => {
  const { context, asked, warned } = terminal({ name: 'Other', slug: 'beta' }, { slug: 'free' })
  const { flow, sent } = editing()
  await editByAsking(context, flow, nothingGiven)
  expect(sent).toEqual([
    { name: 'Other', slug: 'beta' },
    { name: 'Other', slug: 'free' },
  ])
  expect(asked.map((questions) => Object.keys(questions)).slice(1)).toEqual([['slug']])
  expect(asked[1]?.['slug']?.proposal).toBe('acme')
  expect(warned).toEqual(['Organization already exists: choose another one'])
})

const open = { flags: {}, host: { env: {}, stdin: { isTTY: true }, stderr: { isTTY: true } } }

test.each([
  ['a terminal', true, {}],
  ['--no-input', false, { flags: { input: false } }],
  ['--json', false, { flags: { json: true } }],
  ['CI', false, { host: { ...open.host, env: { CI: 'true' } } }],
  ['a pipe', false, { host: { ...open.host, stdin: { isTTY: false } } }],
])('an edit of nothing asks: with %s %s', (_, isAsked, change) => {
  const context = { ...open, ...change } as unknown as Context
  expect(asksForEdits(context, editOrganization, nothingGiven)).toBe(isAsked)
  expect(asksForEdits(context, editOrganization, { ...nothingGiven, given: { logo: '' } })).toBe(false)
})
