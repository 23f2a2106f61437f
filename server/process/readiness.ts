import { createDatabaseCheck, type DatabaseFault } from '../db/database-check.ts'
import { newestMigration } from '../db/migrate.ts'
import type { Deps } from '../deps.ts'

const sentences: Readonly<Record<DatabaseFault['kind'], string>> = {
  unreachable: 'not ready: the database does not answer',
  behind: 'not ready: the database lacks the newest migration; apply it with: postern migrate',
}

type Parts = Pick<Deps, 'sql' | 'log' | 'checkTimeout'>

/**
 * Returns a check that says why the database cannot be used, or null. A problem is logged once, when it begins, and its
 * cause is shown to nobody else. Concurrent checks share one, so that a flood of them occupies one connection.
 */
export function createReadiness({ sql, log, checkTimeout }: Parts): () => Promise<string | null> {
  const migration = newestMigration()
  const findFault = createDatabaseCheck(sql, migration, checkTimeout)
  let before: DatabaseFault['kind'] | null = null
  const check = async () => {
    const fault = await findFault()
    if (fault && fault.kind !== before) log.warn({ migration, err: fault.cause }, sentences[fault.kind])
    if (!fault && before) log.info('ready again')
    before = fault?.kind ?? null
    return fault && sentences[fault.kind]
  }
  let underWay: Promise<string | null> | null = null
  return () =>
    (underWay ??= check().finally(() => {
      underWay = null
    }))
}
