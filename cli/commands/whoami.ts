import { Command } from 'commander'
import { about } from '../argv/about.ts'
import type { Context } from '../context.ts'
import { fullUserFields, shownUser } from '../flows/account/users.ts'
import { requireSession, userLabel } from './require-session.ts'

export const whoamiCommand = (context: Context): Command =>
  about(
    new Command('whoami').description('Say who is signed in; exit 4 when nobody is').action(async () => {
      const connection = await context.connectSignedIn()
      const { user: known, session } = await requireSession(context, connection)
      const user = shownUser(known)
      const { server } = connection
      context.out.line(userLabel(user), { ...user, server, sessionId: session.id, expiresAt: session.expiresAt })
    }),
    {
      form: 'one',
      fields: { ...fullUserFields, server: 'text', sessionId: 'text', expiresAt: 'date' },
      examples: ['postern whoami', 'postern whoami --json=id,email'],
    },
  )
