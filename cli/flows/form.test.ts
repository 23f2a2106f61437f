import { expect, test } from 'vitest'
import { actionOf } from './action.ts'
import { type Flow, noSubject, resultText } from './flow.ts'
import type { FlowContext } from './flow-context.ts'
import { formOf, withoutSecrets } from './form.ts'

const fields = {
  name: { kind: 'text', label: 'Name', argument: '<name>' },
  note: { kind: 'text', label: 'Note', flag: '--note <note>', isOptional: true },
  password: { kind: 'secret', label: 'Password', flag: '--password-file <file>', isRepeated: true },
  forget: { kind: 'toggle', label: 'Forget', flag: '--forget' },
  roles: { kind: 'list', label: 'Roles', flag: '--role <role>' },
  thing: { kind: 'choice', label: 'Thing', flag: '--thing <thing>', isOptional: true },
} as const

interface Person {
  readonly name: string
  readonly org?: string
}

const ran: unknown[] = []

const flow: Flow<Person, typeof fields> = {
  command: 'person change',
  summary: 'Change a person',
  title: 'Change the person',
  subject: {
    argument: '<person>',
    finder:
      async () =>
      (word = '') => ({ name: word }),
    words: ({ name, org }) => ({ word: name, flags: org === undefined ? [] : ['--org', org] }),
  },
  fields,
  call: '/person',
  answer: {},
  examples: [],
  initial: ([one]) => ({ name: one?.name ?? '', roles: ['member'] }),
  options: () => ({ roles: [], thing: [{ id: 't1', label: 'Table' }] }),
  check: ({ name, note }) => ({ note: name === note ? 'The note says the name' : undefined }),
  run: async (_, subject, values) => {
    ran.push([subject.name, values])
    return { sentence: `Changed ${subject.name}`, status: 'updated', resource: {} }
  },
  doneWith: (several) => `Changed ${several.length} people`,
}

const context = {} as FlowContext
const ada: Person = { name: 'Ada', org: 'acme' }
const form = formOf(flow, { subjects: [ada] })
const filled = { ...form.initial, password: 'secret', 'password again': 'secret' }

test('values are typed by their fields; what was not touched is sent as it was, or not at all', async () => {
  ran.length = 0
  await form.submit(context, { ...filled, forget: 'yes', roles: 'admin,member', thing: 't1' })
  const values = { name: 'Ada', password: 'secret', forget: true, roles: ['admin', 'member'], thing: 't1' }
  expect(ran).toEqual([['Ada', { ...values, note: undefined }]])
})

test('a name with control characters that is shown spelled out keeps its own form', async () => {
  ran.length = 0
  const odd = formOf(flow, { subjects: [{ name: 'A\u202eda' }] })
  expect(odd.initial['name']).not.toContain('\u202e')
  await odd.submit(context, { ...filled, ...odd.initial })
  expect(ran).toMatchObject([['A\u202eda', { name: 'A\u202eda' }]])
})

test('what is edited around such characters keeps them, too', async () => {
  ran.length = 0
  const odd = formOf(flow, { subjects: [{ name: 'A\u200cda' }] })
  await odd.submit(context, { ...filled, ...odd.initial, name: `${odd.initial['name']} B` })
  expect(ran).toMatchObject([['A\u200cda', { name: 'A\u200cda B' }]])
})

test('a secret is typed twice, is in no command, and travels to no other form', () => {
  const names = form.fields.map(({ name }) => name)
  expect(names).toEqual(['name', 'note', 'password', 'password again', 'forget', 'roles', 'thing'])
  expect(form.problems({ ...filled, 'password again': 'other' })).toEqual({
    'password again': 'This does not match the line above',
  })
  expect(form.command(filled)).not.toContain('secret')
  expect(JSON.stringify(withoutSecrets(form, filled))).not.toContain('secret')
})

test('what is wrong is told by field, alone and together', () => {
  expect(form.problems({ ...filled, name: ' ', password: '', 'password again': '' })).toEqual({
    name: 'Name is needed',
    password: 'Password is needed',
  })
  expect(form.problems({ ...filled, note: 'Ada' })).toEqual({ note: 'The note says the name' })
  expect(form.problems({ ...filled, forget: 'perhaps' })).toEqual({ forget: 'Answer yes or no' })
})

test('the command names what is known, chosen things by their label, and the rest in capitals', () => {
  expect(form.command({ ...filled, name: 'Ada B', forget: 'yes', thing: 't1' })).toBe(
    "postern person change Ada 'Ada B' --forget --role member --thing Table --org acme",
  )
  expect(formOf(flow, { subjects: [] }).command({})).toBe('postern person change PERSON NAME --role ROLE')
})

test('of two that are called the same each shows its id, which the command names', () => {
  const twins: typeof flow = {
    ...flow,
    options: () => ({ thing: ['t1', 't2'].map((id) => ({ id, label: 'Twin' })) }),
  }
  const two = formOf(twins, { subjects: [ada] })
  const { options } = two.fields.find(({ name }) => name === 'thing') ?? {}
  expect(options?.map(({ label }) => label)).toEqual(['Twin (t1)', 'Twin (t2)'])
  expect(two.command({ ...filled, thing: 't2' })).toContain('--thing t2')
})

test('several are changed one after the other, and told by their number', async () => {
  ran.length = 0
  const both = formOf(flow, { subjects: [ada, { name: 'Bob' }] })
  expect(both.command({ ...filled, name: 'X' })).toBe(
    'postern person change Ada X --role member --org acme; postern person change Bob X --role member',
  )
  expect(await both.submit(context, { ...filled, name: 'X' })).toMatchObject({ sentence: 'Changed 2 people' })
  expect(ran).toMatchObject([
    ['Ada', { name: 'X' }],
    ['Bob', { name: 'X' }],
  ])
})

test('of an empty list the flow speaks in its own words', () => {
  const own: typeof flow = { ...flow, check: ({ roles }) => ({ roles: roles?.length ? undefined : 'One at least' }) }
  expect(formOf(own, { subjects: [ada] }).problems({ ...filled, roles: '' })).toEqual({ roles: 'One at least' })
  expect(form.problems({ ...filled, roles: '' })).toEqual({ roles: 'Roles is needed' })
})

test('with nobody to do it to nothing is done, whatever was typed', async () => {
  ran.length = 0
  const nobody = formOf(flow, { subjects: [] })
  await expect(nobody.submit(context, filled)).rejects.toThrow('the item no longer exists')
  expect(ran).toEqual([])
})

test('an edit of nothing asks the service nothing', async () => {
  ran.length = 0
  const optional = { note: fields.note }
  const { command, summary, title, answer, examples } = flow
  const edit: Flow<undefined, typeof optional> = {
    command,
    summary,
    title,
    answer,
    examples,
    isEdit: true,
    subject: noSubject,
    fields: optional,
    initial: () => ({ note: 'as it was' }),
    run: async () => {
      ran.push('edit')
      return { sentence: 'Changed', status: 'updated', resource: {} }
    },
  }
  const same = formOf(edit, { subjects: [undefined] })
  expect(await same.submit(context, { note: 'as it was' })).toMatchObject({ status: 'unchanged' })
  expect(ran).toEqual([])
  await same.submit(context, { note: '' })
  expect(ran).toEqual(['edit'])
})

test('what has to be typed stands in the command of the action', () => {
  const typed = { what: 'name', word: () => 'Ada', always: true }
  const action = actionOf({ ...flow, consent: { question: () => 'Sure?', typed } }, [ada])
  expect(action).toMatchObject({ question: 'Sure?', word: 'Ada' })
  expect(action.command).toContain('--org acme --confirm Ada')
})

test('what is worth knowing beside what was done is told with it', () => {
  expect(resultText({ sentence: 'Deleted Ada', notes: ['Acme went along'] })).toBe('Deleted Ada. Acme went along')
})

test('the hint of a form about many names only the first of them, its command all', () => {
  const several = Array.from({ length: 25 }, (_, at) => ({ name: `one${at + 1}` }))
  const form = formOf(flow, { subjects: several })
  expect(form.hint().split('; ')).toHaveLength(20)
  const hints = [form.hint(), actionOf(flow, several).hint]
  expect(hints).toEqual([expect.stringMatching(/ … and 5 more$/), expect.stringMatching(/ … and 5 more$/)])
  expect(form.command(form.initial).split('; ')).toHaveLength(25)
  const typed = { ...form.initial, name: 'Typed' }
  expect(form.hint(typed).split('; ')).toEqual([
    ...form.command(typed).split('; ').slice(0, 19),
    expect.stringMatching(/Typed.* … and 5 more$/),
  ])
  const [first] = several
  const alone = formOf(flow, { subjects: first ? [first] : [] })
  expect(alone.hint()).toBe(alone.command(alone.initial))
})
