import { isOriginalDatabase, recordCopy } from '../../db/database-copies.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'

/**
 * Marks a copied database as a copy, once. The copy sends none of the original's mails, tells its webhooks nothing,
 * and its audit trail is separate.
 */
export async function detectCopy({ sql, log }: Pick<Deps, 'sql' | 'log'>): Promise<void> {
  if (await isOriginalDatabase(sql)) return
  const held = await transaction(sql, recordCopy)
  if (held === null) return
  log.warn(
    { held: held.mails, webhooks: held.webhooks },
    'this database is a copy: mails that the original had not sent yet are held, webhooks are parked, and clients that follow the audit trail have to list it again. If this copy replaces the original, let both go on with: postern migrate --release-mails --resume-webhooks',
  )
}
