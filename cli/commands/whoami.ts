import { Command } from 'commander'
import { describeCommand } from '../argv/command-metadata.ts'
import type { Context } from '../context.ts'
import { fullUserFields, toShownUser } from '../flows/account/users.ts'
import { isKey, principalOf } from '../flows/auth/principal.ts'
import { requireSession } from './require-session.ts'

export const whoamiCommand = (context: Context): Command =>
  describeCommand(
    new Command('whoami').description('Show who is signed in; exit 4 if nobody is').action(async () => {
      const connection = await context.connectSignedIn()
      const view = await requireSession(context, connection)
      const { server, api } = connection
      const { id: sessionId, expiresAt, impersonatedBy } = view.session
      const principal = await principalOf(api, view)
      const label = `${impersonatedBy === null ? '' : 'IMPERSONATING '}${principal}`
      const keyId = isKey(view) ? sessionId : null
      const session = { server, sessionId, expiresAt, impersonatedBy, principal, keyId }
      context.out.line(label, { ...toShownUser(view.user), ...session })
    }),
    {
      form: 'one',
      fields: {
        ...fullUserFields,
        server: 'text',
        sessionId: 'text',
        expiresAt: 'date',
        impersonatedBy: 'text?',
        principal: 'text',
        keyId: 'text?',
      },
      calls: ['/get-session'],
      needsSession: true,
      examples: ['', '--json=id,email'],
    },
  )
