import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LinkRequest, requestLink } from '../db/links.ts'
import { alwaysDone, logEventsOnceCommitted } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { addLateFacts } from '../request/audit-event.ts'
import type { Client } from '../request/client.ts'
import { refuseBeyondLimit } from './limits.ts'
import { logWithheldMail } from './mails.ts'

/**
 * Settles, with success or refusal, no earlier than the response floor plus a random share of up to a quarter of it.
 */
export async function withResponseFloor<T>({ answerFloor }: Deps, work: Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([work, sleep(answerFloor + randomInt(answerFloor / 4 + 1))])
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

/**
 * Counts the request and mails a link when a user has the address. Without a user it takes the same statement and the
 * same time.
 */
export async function requestMailedLink(
  deps: Deps,
  client: Client,
  name: 'email-verification-asked' | 'password-reset-asked',
  request: Omit<LinkRequest, 'event'>,
): Promise<void> {
  const { withheldBy } = await logEventsOnceCommitted(async (act) => {
    const event = client.event(act, name, { userId: null })
    const answer = await withResponseFloor(deps, requestLink(deps.sql, { ...request, event }))
    refuseBeyondLimit(answer.refusedFor)
    addLateFacts(event, { userId: answer.userId })
    return answer
  }, alwaysDone)
  logWithheldMail(deps, request.link.mail.kind, withheldBy)
  deps.outbox.nudge()
}
