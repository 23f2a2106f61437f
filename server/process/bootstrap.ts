import { loadConfig } from '../config.ts'
import { connect } from '../db/connect.ts'
import { type BootstrapOptions, type BootstrapOutcome, bootstrapAdmin } from '../domain/admin/bootstrap.ts'
import { developmentSecret } from '../settings/development-secret.ts'
import { applyMigrations, openDatabase, refuseNewerDatabase, refuseNoDatabase } from './database.ts'
import { createLog } from './log.ts'
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
export async function bootstrap(asked: BootstrapOptions, { env, cwd }: SettingsPlace = {}): Promise<BootstrapOutcome> {
  const given = await loadConfig(env, cwd)
  const log = await createLog({ ...given, LOG_LEVEL: given.LOG_LEVEL === 'info' ? 'warn' : given.LOG_LEVEL })
  refuseNoDatabase(given)
  const config = given.SECRETS.length > 0 ? given : { ...given, SECRETS: [developmentSecret(given.DATA_DIR)] }
  const opened = await openDatabase(config, log)
  try {
    const connectTimeout = config.DATABASE_TIMEOUT
    if (config.MIGRATE) await applyMigrations(opened.database, log, { connectTimeout })
    else await refuseNewerDatabase(opened.database, log, connectTimeout)
    const sql = connect(opened.database, { ...poolOf(config, log), connections: 1 })
    try {
      return await bootstrapAdmin({ ...createParts(config, log), sql }, asked)
    } finally {
      await sql.end({ timeout: 1 })
    }
  } finally {
    await opened.close()
  }
}
