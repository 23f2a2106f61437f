import type { ExitCode } from '../shared/exit-codes.ts'
import type { Host } from './host.ts'

/** The one door from the command line to the server's code, opened only by the commands that run it here. */
const server = () => import('../server/serve.ts')

export async function serve({ env, cwd }: Host): Promise<ExitCode> {
  return (await (await server()).serve({ env, cwd })) as ExitCode
}

export async function migrate({ env, cwd }: Host): Promise<{ readonly applied: readonly string[] }> {
  return (await server()).migrateDatabase({ env, cwd })
}
