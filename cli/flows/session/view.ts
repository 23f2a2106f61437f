import { notFoundError } from '../../output/cli-error.ts'
import type { Sheet } from '../listing.ts'
import { type ListedSession, sessionFields, sessionSheet, sessionsOf } from './sessions.ts'

const fields = {
  id: { kind: 'text', label: 'Session', argument: '<id>', summary: 'its id, as session list shows it' },
} as const

export const sessionView: Sheet<ListedSession, typeof fields> = {
  command: 'session view',
  summary: 'One session of the signed-in user',
  fields,
  call: '/list-sessions',
  answer: sessionFields,
  columns: sessionSheet,
  examples: ['postern session view 0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c'],
  view: async (ports, values) => {
    const found = (await sessionsOf(ports)).find(({ id }) => id === values.id)
    if (!found) throw notFoundError(`No session ${values.id}`, 'postern session list')
    return found
  },
}
