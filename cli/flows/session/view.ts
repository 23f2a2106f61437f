import { commandWith } from '../command-line.ts'
import type { Sheet } from '../listing.ts'
import { sessionList } from './list.ts'
import { type ListedSession, pickSession, sessionFields, sessionSheet, sessionsOf, sessionWords } from './sessions.ts'

const fields = {
  id: {
    kind: 'text',
    label: 'Session',
    argument: '<id>',
    summary: 'its id, or a label that it alone has, as session list shows them',
    complete: sessionWords,
  },
} as const

export const sessionView: Sheet<ListedSession, typeof fields> = {
  command: 'session view',
  summary: 'One session of the signed-in user',
  fields,
  call: '/list-sessions',
  answer: sessionFields,
  columns: sessionSheet,
  examples: ['0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c'],
  view: async (ports, { id }) => pickSession(await sessionsOf(ports), id, commandWith(sessionList)),
}
