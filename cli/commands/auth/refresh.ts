import { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { relativeTime } from '../../output/time.ts'
import { requireSession } from '../require-session.ts'

export const authRefreshCommand = (context: Context): Command =>
  about(
    new Command('refresh')
      .description('Ask the service for the session again, extending it when it is due')
      .action(async () => {
        const connection = await context.connectSignedIn()
        const { session } = await requireSession(context, connection, { disableCookieCache: 'true' })
        const resource = { id: session.id, expiresAt: session.expiresAt, updatedAt: session.updatedAt }
        context.out.done(`The session expires ${relativeTime(session.expiresAt, context.host.now())}`, {
          status: 'updated',
          resource,
        })
      }),
    {
      form: 'change',
      fields: { id: 'text', expiresAt: 'date', updatedAt: 'date' },
      examples: [''],
    },
  )
