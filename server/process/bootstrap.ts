import { connect } from '../db/connect.ts'
import { type BootstrapOptions, type BootstrapOutcome, bootstrapAdmin } from '../domain/admin/bootstrap.ts'
import { withSecret } from '../settings/development-secret.ts'
import { openConfiguredDatabase } from './configured-database.ts'
import { prepareDatabase } from './database.ts'
import type { SettingsPlace } from './serve.ts'
import { createParts, poolOf } from './start.ts'

/**
 * Makes somebody an administrator of the service configured by this folder and environment, whether or not it is
 * running. See `bootstrapAdmin`.
 *
 * @throws ConfigError for wrong settings, or when no service keeps its data there.
 * @example
 * const made = await bootstrap({ email: 'ann@example.com', isForced: false }, { cwd: '/srv/accounts' })
 */
export async function bootstrap(asked: BootstrapOptions, place: SettingsPlace = {}): Promise<BootstrapOutcome> {
  const { config: given, log, database, close } = await openConfiguredDatabase(place, { mayCreate: false })
  try {
    const config = withSecret(given)
    await prepareDatabase(database, config, log)
    const sql = connect(database, { ...poolOf(config, log), connections: 1 })
    try {
      return await bootstrapAdmin({ ...createParts(config, log), sql }, asked)
    } finally {
      await sql.end({ timeout: 1 })
    }
  } finally {
    await close()
  }
}
