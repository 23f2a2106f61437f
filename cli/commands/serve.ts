import { Command } from 'commander'
import { describeCommand } from '../argv/command-metadata.ts'
import type { Context } from '../context.ts'

export const serveCommand = (context: Context): Command =>
  describeCommand(
    new Command('serve')
      .description('Run the service until a signal stops it; settings come from the environment')
      .action(async () => {
        const { serve } = await import('../local/local.ts')
        context.exitCode = await serve(context.host)
      }),
    { form: 'none', fields: {}, examples: ['', 'PORT=8080 DATABASE_URL=postgres://… postern serve'] },
  )
