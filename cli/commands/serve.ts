import { Command } from 'commander'
import { memorySettingsOf } from '../../shared/memory-settings.ts'
import { describeCommand } from '../argv/command-metadata.ts'
import type { Context } from '../context.ts'
import type { Host } from '../process/host.ts'

function tuneMemory({ env, restartWith }: Host): void {
  if (env['MALLOC_ARENA_MAX'] === undefined) restartWith?.({ ...memorySettingsOf(env) })
}

export const serveCommand = (context: Context): Command =>
  describeCommand(
    new Command('serve')
      .description('Run the service until a signal stops it; settings come from the environment')
      .option(
        '--workers <number>',
        'processes that share the port and the limits, or auto for one per core (setting WORKERS)',
      )
      .action(async ({ workers }: { workers?: string }) => {
        const { host } = context
        tuneMemory(host)
        const { serve } = await import('../local/local.ts')
        context.exitCode = await serve(
          workers === undefined ? host : { ...host, env: { ...host.env, WORKERS: workers } },
        )
      }),
    {
      form: 'none',
      fields: {},
      ends: ['failure', 'network'],
      examples: ['', 'PORT=8080 DATABASE_URL=postgres://… postern serve', '--workers auto'],
    },
  )
