import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import type { Column } from '../../output/cell.ts'
import { type ListedSession, listed, sessionFields } from './sessions.ts'

const columns: readonly Column<ListedSession>[] = [
  { header: 'ID', value: (session) => session.id, isWhole: true },
  { header: 'Here', value: (session) => session.current },
  { header: 'Since', value: (session) => session.createdAt },
  { header: 'Expires', value: (session) => session.expiresAt },
  { header: 'Address', value: (session) => session.ipAddress },
  { header: 'Client', value: (session) => session.userAgent },
]

export const sessionListCommand = (context: Context): Command =>
  about(
    new Command('list').description('Where the signed-in user is signed in').action(async () => {
      const { api } = await context.connectSignedIn()
      const sessions = await api.session.listSessions()
      await context.out.list(sessions.map(listed), columns, { empty: 'No sessions' })
    }),
    {
      form: 'list',
      fields: sessionFields,
      examples: ['postern session list', 'postern session list --json=id,userAgent'],
    },
  )
