import { type Flow, noSubject } from '../flow.ts'
import {
  expiresField,
  limitsOf,
  nameField,
  notesOnName,
  rangesField,
  type ShownKey,
  scopesField,
  shownKey,
  shownKeyFields,
} from './new-key.ts'

const fields = { name: nameField, scopes: scopesField, expires: expiresField, ranges: rangesField } as const

export const createOwnKey: Flow<undefined, typeof fields, unknown, ShownKey> = {
  command: 'key create --mine',
  summary: 'Make a key for a machine that acts as the signed-in user. It is shown once',
  title: 'Create a key of your own',
  writes: true,
  needsSession: true,
  subject: noSubject,
  fields,
  call: '/key/create',
  isFor: ({ organizationId }) => organizationId === undefined,
  answer: shownKeyFields,
  examples: ['laptop --mine --scope read --expires 30d'],
  note: () => 'The key may what you may, as far as machines may it. It is shown once, and kept nowhere.',
  run: async (ports, _, { name, ...limits }) => {
    const { api } = await ports.signedIn()
    const made = await api.key.createKey({ name, ...limitsOf(limits) })
    const sentence = `Created the key ${made.name}, which acts as you`
    const notes = await notesOnName({ api }, made)
    return { sentence, status: 'created', resource: shownKey(made, ports.now()), secret: made.token, ...notes }
  },
}
