import { Command } from 'commander'
import { describeCommand } from '../argv/command-metadata.ts'
import type { Context } from '../context.ts'
import type { MigrationResult, ReplacementOptions } from '../local/local.ts'
import { countText } from '../output/words.ts'

export const migrateCommand = (context: Context): Command =>
  describeCommand(
    new Command('migrate')
      .description("Migrate the service's database without starting it")
      .option(
        '--release-mails',
        'also send the mails that are held because this database is a copy; for a copy that replaces the original',
      )
      .option(
        '--resume-webhooks',
        'also tell the webhooks that are parked for the same reason what happens from now on',
      )
      .action(async (options: ReplacementOptions) => {
        const { migrate } = await import('../local/local.ts')
        const done = await migrate(context.host, options)
        const status = done.applied.length > 0 || done.released + done.resumed > 0 ? 'updated' : 'unchanged'
        context.out.done(sentenceOf(done, options), { status, resource: done })
      }),
    {
      form: 'change',
      ends: ['failure', 'network'],
      fields: { applied: 'list', created: 'text?', released: 'number', resumed: 'number' },
      examples: ['', 'DATABASE_URL=postgres://… postern migrate', '--release-mails --resume-webhooks'],
    },
  )

function sentenceOf(
  { applied, created, released, resumed }: MigrationResult,
  { releaseMails, resumeWebhooks }: ReplacementOptions,
): string {
  const parts = [
    created === null
      ? appliedText(applied)
      : `Made a new database in ${created}, with all ${applied.length} migrations`,
    ...(releaseMails ? [`released ${counted(released, 'mail')}`] : []),
    ...(resumeWebhooks ? [`resumed ${counted(resumed, 'webhook')}`] : []),
  ]
  return parts.join('; ')
}

function appliedText(names: readonly string[]): string {
  if (names.length === 0) return 'The database is up to date'
  // An empty database lacks them all.
  return names.length > 5
    ? `Applied ${names.length} migrations, ${names[0]} to ${names.at(-1)}`
    : `Applied ${names.join(', ')}`
}

const counted = (count: number, noun: string): string => (count === 1 ? `1 ${noun}` : `${countText(count)} ${noun}s`)
