import type { Logger } from 'pino'
import { type Config, loadConfig } from '../config.ts'
import { lacksDatabase, makingDatabase, type OpenDatabase, openDatabase, refuseNoDatabase } from './database.ts'
import { createLog } from './log.ts'
import type { SettingsPlace } from './serve.ts'

interface ConfiguredDatabase extends OpenDatabase {
  readonly config: Config
  readonly log: Logger
}

/**
 * The database of the service that this folder and environment configure, for a command that works on it, whether or not
 * the service is running. `mayCreate`: an embedded database that is not there yet is made.
 *
 * @throws ConfigError for wrong settings, or when no service keeps its data there and none may be made.
 */
export async function openConfiguredDatabase(
  { env, cwd }: SettingsPlace,
  { mayCreate }: { readonly mayCreate: boolean },
): Promise<ConfiguredDatabase> {
  const config = await loadConfig(env, cwd)
  // The usual lines of a service would hide the answer of the command.
  const log = await createLog({ ...config, LOG_LEVEL: config.LOG_LEVEL === 'info' ? 'warn' : config.LOG_LEVEL })
  if (!mayCreate) refuseNoDatabase(config)
  if (lacksDatabase(config)) log.warn({ dataDir: config.DATA_DIR }, makingDatabase)
  return { ...(await openDatabase(config, log)), config, log }
}
