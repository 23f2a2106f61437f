import { Command } from 'commander'
import { describeCommand } from '../argv/command-metadata.ts'
import type { Context } from '../context.ts'

export const serveCommand = (context: Context): Command =>
  describeCommand(
    new Command('serve')
      .description('Run the service until a signal stops it; settings come from the environment')
      .option(
        '--workers <number>',
        'processes that share the port and the limits, or auto for one per core (setting WORKERS)',
      )
      .action(async ({ workers }: { workers?: string }) => {
        const { serve } = await import('../local/local.ts')
        const { host } = context
        context.exitCode = await serve(
          workers === undefined ? host : { ...host, env: { ...host.env, WORKERS: workers } },
        )
      }),
    {
      form: 'none',
      fields: {},
      examples: ['', 'PORT=8080 DATABASE_URL=postgres://… postern serve', '--workers auto'],
    },
  )
