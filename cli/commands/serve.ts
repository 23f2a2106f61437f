import { Command } from 'commander'
import { describeCommand } from '../argv/command-metadata.ts'
import type { Context } from '../context.ts'

interface Options {
  readonly workers?: string
  readonly check?: boolean
}

export const serveCommand = (context: Context): Command =>
  describeCommand(
    new Command('serve')
      .description('Run the service until a signal stops it')
      .option(
        '--workers <number>',
        'processes that share the port and the limits, or auto for one per core (setting WORKERS)',
      )
      .option(
        '--check',
        'start nothing: list all settings and where they come from, and try the database, mail and providers; exits with 16 for a problem',
      )
      .action(async ({ workers, check = false }: Options) => {
        const { host } = context
        // The flag replaces the setting, in whichever of its forms that is given.
        const asked = workers === undefined ? {} : { WORKERS: workers, WORKERS_FILE: undefined }
        const configured = { ...host, env: { ...host.env, ...asked } }
        if (check) return (await import('../local/check-service.ts')).showCheck(context, configured)
        const { serve } = await import('../local/local.ts')
        context.exitCode = await serve(configured)
      }),
    {
      form: 'none',
      fields: {},
      others: [
        {
          by: '--check',
          form: 'list',
          fields: { name: 'text', status: 'text', value: 'text?', source: 'text?', file: 'text?', message: 'text?' },
        },
      ],
      ends: ['failure', 'network', 'problemFound'],
      examples: ['', 'PORT=8080 DATABASE_URL=postgres://… postern serve', '--workers auto', '--check'],
    },
  )
