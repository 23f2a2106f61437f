import type { Sql } from '../../db/connect.ts'
import { transaction } from '../../db/transaction.ts'
import { currentPosition, openFeed } from '../../db/webhook-feed.ts'
import { resumeHeldWebhooks } from '../../db/webhooks.ts'
import { cursorAt } from '../webhook/webhooks.ts'

/**
 * Lets the webhooks that were parked because this database is a copy go on. Nobody knows what the original has sent, so
 * they are told of what happens from now on. Returns how many.
 */
export const resumeCopyWebhooks = (sql: Sql): Promise<number> =>
  transaction(sql, async (tx) => {
    const position = await currentPosition(tx)
    await openFeed(tx, position)
    return resumeHeldWebhooks(tx, cursorAt(position))
  })
