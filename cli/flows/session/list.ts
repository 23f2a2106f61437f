import type { Listing } from '../listing.ts'
import { type ListedSession, sessionColumns, sessionFields, sessionsOf } from './sessions.ts'

export const sessionList: Listing<ListedSession> = {
  command: 'session list',
  summary: 'Where the signed-in user is signed in',
  fields: {},
  call: '/list-sessions',
  answer: sessionFields,
  columns: sessionColumns,
  empty: 'No sessions',
  examples: ['', '--json=id,userAgent'],
  list: sessionsOf,
}
