import { isOriginalDatabase, recordCopy } from '../../db/database-copies.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'

/**
 * Marks a copied database as a copy, once. The copy sends none of the original's mails, and its audit trail is
 * separate.
 */
export async function detectCopy({ sql, log }: Pick<Deps, 'sql' | 'log'>): Promise<void> {
  if (await isOriginalDatabase(sql)) return
  const held = await transaction(sql, recordCopy)
  if (held === null) return
  log.warn(
    { held },
    'this database is a copy: the mails that its original waits to send are held, and who follows the audit trail has to list it anew. If it takes the place of the original, send them: postern migrate --release-mails',
  )
}
