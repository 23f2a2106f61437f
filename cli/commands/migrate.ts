import { Command } from 'commander'
import { about } from '../argv/about.ts'
import type { Context } from '../context.ts'

export const migrateCommand = (context: Context): Command =>
  about(
    new Command('migrate').description("Bring the service's database up to date, without serving").action(async () => {
      const { migrate } = await import('../local/local.ts')
      const { applied } = await migrate(context.host)
      const status = applied.length > 0 ? 'updated' : 'unchanged'
      const sentence = applied.length > 0 ? `Applied ${applied.join(', ')}` : 'The database is up to date'
      context.out.done(sentence, { status, resource: { applied } })
    }),
    {
      form: 'change',
      fields: { applied: 'list' },
      examples: ['', 'DATABASE_URL=postgres://… postern migrate'],
    },
  )
