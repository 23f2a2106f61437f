import { Command } from 'commander'
import { describeCommand } from '../argv/command-metadata.ts'
import type { Context } from '../context.ts'

interface Options {
  readonly releaseMails?: boolean
}

export const migrateCommand = (context: Context): Command =>
  describeCommand(
    new Command('migrate')
      .description("Migrate the service's database without starting it")
      .option(
        '--release-mails',
        'also send the mails that are held because this database is a copy; for a copy that replaces the original',
      )
      .action(async ({ releaseMails = false }: Options) => {
        const { migrate } = await import('../local/local.ts')
        const done = await migrate(context.host, releaseMails)
        const status = done.applied.length > 0 || done.released > 0 ? 'updated' : 'unchanged'
        context.out.done(sentenceOf(done, releaseMails), { status, resource: done })
      }),
    {
      form: 'change',
      ends: ['failure', 'network'],
      fields: { applied: 'list', released: 'number' },
      examples: ['', 'DATABASE_URL=postgres://… postern migrate', '--release-mails'],
    },
  )

function sentenceOf(
  { applied, released }: { readonly applied: readonly string[]; readonly released: number },
  isReleasing: boolean,
): string {
  const tables = applied.length > 0 ? `Applied ${applied.join(', ')}` : 'The database is up to date'
  return isReleasing ? `${tables}; released ${released === 1 ? '1 mail' : `${released} mails`}` : tables
}
