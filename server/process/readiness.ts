import { newestMigration } from '../db/migrate.ts'
import { type DatabaseFault, findDatabaseFault } from '../db/server.ts'
import type { Deps } from '../deps.ts'

const sentences: Readonly<Record<DatabaseFault, string>> = {
  unreachable: 'not ready: the database does not answer',
  behind: 'not ready: the database lacks the newest migration; apply it with: postern migrate',
}

/**
 * Returns a check whether the database can be used. A problem is logged when it begins, not at every check, and is told
 * to nobody else.
 */
export function createReadiness({ sql, log }: Pick<Deps, 'sql' | 'log'>): () => Promise<boolean> {
  const migration = newestMigration()
  let before: DatabaseFault | null = null
  return async () => {
    const fault = await findDatabaseFault(sql, migration)
    if (fault && fault !== before) log.warn({ migration }, sentences[fault])
    if (!fault && before) log.info('ready again')
    before = fault
    return !fault
  }
}
