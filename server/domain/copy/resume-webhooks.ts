import type { Sql } from '../../db/connect.ts'
import { transaction } from '../../db/transaction.ts'
import { currentPosition, openFeed } from '../../db/webhook-feed.ts'
import { resumeHeldWebhooks } from '../../db/webhooks.ts'
import { cursorAt } from '../webhook/webhooks.ts'

/**
 * Resumes the webhooks that were parked because this database is a copy, and returns how many. They receive the events
 * from now on, since nobody knows what the original has sent.
 */
export const resumeCopyWebhooks = (sql: Sql): Promise<number> =>
  transaction(sql, async (tx) => {
    const position = await currentPosition(tx)
    await openFeed(tx, position)
    return resumeHeldWebhooks(tx, cursorAt(position))
  })
