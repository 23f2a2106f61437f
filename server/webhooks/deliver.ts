import type { AuditEventView } from '../../shared/audit.ts'
import { auditEventsNamed } from '../../shared/audit-events.ts'
import { jittered } from '../../shared/jittered.ts'
import { unopenedSecret } from '../../shared/unopened-secret.ts'
import { newId } from '../crypto/id.ts'
import { type AuditPage, type AuditQuery, followAuditEvents } from '../db/audit-list.ts'
import {
  advanceWebhook,
  type ClaimedWebhook,
  holdWebhook,
  parkWebhook,
  postponeWebhook,
  releaseWebhook,
  setWebhookBack,
} from '../db/webhook-feed.ts'
import type { Deps } from '../deps.ts'
import { isSameDatabase, markBehind, markText, readMark } from '../domain/audit/cursor.ts'
import { createAuditEvent, noRequest } from '../request/audit-event.ts'
import { inOwnSpan } from '../tracing/spans.ts'
import type { Post, PostFailure } from './post.ts'
import { openSecrets } from './secrets.ts'
import { signedHeaders } from './signature.ts'

/** Seconds. */
export interface WebhookTimes {
  /** Between two looks at the trail. */
  readonly poll: number
  /** How long a webhook belongs to the process that claimed it, after each delivery. Longer than any sending takes. */
  readonly lease: number
  /** How long one webhook is sent to before others have their turn. */
  readonly turn: number
  /** Until the second attempt; doubles from there. */
  readonly retry: number
  /** The longest wait between two attempts. */
  readonly longestRetry: number
  /** After this time, and `minTries` attempts, a webhook is given up. */
  readonly giveUp: number
  /** Until an answer must begin. */
  readonly answer: number
  /** How long what is being sent may take when the service stops. */
  readonly grace: number
}

export const webhookTimes: WebhookTimes = {
  poll: 2,
  lease: 60,
  turn: 10,
  retry: 10,
  longestRetry: 3600,
  giveUp: 86_400,
  answer: 10,
  grace: 5,
}

const minTries = 8
/** Events that are read at once. */
const pageSize = 20

export interface DeliveryParts extends Pick<Deps, 'sql' | 'keys' | 'log' | 'now' | 'observer'> {
  readonly post: Post
  readonly times: WebhookTimes
  /** Aborted when the service stops: no other event is sent. */
  readonly leaving: AbortSignal
  /** Aborted when what is being sent takes too long for the stop. */
  readonly cut: AbortSignal
}

export type Lease = ClaimedWebhook & { readonly lease: string }

/**
 * Sends a webhook what it has not been sent, in the order of the trail, one event after the other. It stops at the
 * first failure, or when others have their turn.
 */
export async function deliver(webhook: Lease, parts: DeliveryParts): Promise<void> {
  const { sql, times } = parts
  const secrets = openSecrets(parts.keys, webhook)
  if (!secrets) return setBackUnsigned(webhook, parts)
  const read = await readTrail(webhook, parts)
  if (read === null) return void (await setWebhookBack(sql, webhook, unreadableTrail, times.lease))
  const { page, mark } = read
  if (!isSameDatabase(page, mark)) return park(webhook, { reason: otherDatabase, attempts: webhook.attempts }, parts)
  // What follows a rotation is not signed with the secrets of before it.
  if (page.events.length > 0 && !(await holdWebhook(sql, webhook, times.lease))) return
  const sent = await sendPage(webhook, page, { secrets, mark }, parts)
  if (sent === null) return
  const cursor = markText(markBehind(page, mark, sent))
  // The last page on the way to an earlier snapshot does not say what came after it.
  const isDone = sent === page.events.length
  const hasMore = page.isMore || !isDone || mark.part !== null
  await releaseWebhook(sql, webhook, { cursor, isDone, hasMore })
}

/** Another process may have the right secrets, so it is not given up. Told once, and not at every look. */
async function setBackUnsigned(webhook: Lease, { sql, log, times }: DeliveryParts): Promise<void> {
  const { id, organizationId } = webhook
  if (!(await setWebhookBack(sql, webhook, unopenedSecret, times.retry))) return
  log.warn({ webhookId: id, organizationId, reason: unopenedSecret }, 'a webhook cannot be sent to')
}

const unreadableTrail = 'The audit trail could not be read'
const otherDatabase = 'The database was copied or restored, so it is not known what was sent: resume it'

/** Null when it fails, or takes too long. */
async function readTrail(webhook: Lease, { sql, log }: DeliveryParts) {
  try {
    const mark = readMark(webhook.cursor)
    return { mark, page: await followAuditEvents(sql, queryOf(webhook), mark) }
  } catch (err) {
    log.warn({ err, webhookId: webhook.id }, 'the trail could not be read for a webhook; it is tried again later')
    return null
  }
}

interface Sending {
  readonly secrets: readonly string[]
  readonly mark: ReturnType<typeof readMark>
}

/**
 * Returns how many events were delivered before the end of the turn. Null when the webhook is not this process's any
 * more.
 */
async function sendPage(webhook: Lease, page: AuditPage, { secrets, mark }: Sending, parts: DeliveryParts) {
  const { sql, times, leaving, cut } = parts
  const endsAt = performance.now() + times.turn * 1000
  for (const [index, event] of page.events.entries()) {
    if (leaving.aborted || performance.now() >= endsAt) return index
    const failure = await send(webhook, event, secrets, parts)
    if (failure && cut.aborted) return index
    if (failure) {
      await postponeOrPark(webhook, failure, index > 0, parts)
      return null
    }
    const cursor = markText(markBehind(page, mark, index + 1))
    if (!(await advanceWebhook(sql, webhook, cursor, times.lease))) return null
  }
  return page.events.length
}

async function send(
  { url, id: webhookId }: Lease,
  event: AuditEventView,
  secrets: readonly string[],
  { post, now, cut: signal, observer }: DeliveryParts,
): Promise<PostFailure | null> {
  const { id, body } = messageOf(event)
  const headers = signedHeaders(secrets, { id, timestamp: Math.floor(now().getTime() / 1000), body })
  const attributes = { 'postern.webhook.id': webhookId, 'postern.event': event.event }
  const { failure } = await inOwnSpan({ name: 'deliver webhook', kind: 'PRODUCER', attributes }, () =>
    post(url, { headers, body, signal }),
  )
  observer?.webhookTried(failure ? 'failed' : 'delivered')
  return failure
}

/** `isNew`: another event was delivered in this turn, so this is the first attempt at this one. */
async function postponeOrPark(
  webhook: Lease,
  { reason, isGone }: PostFailure,
  isNew: boolean,
  parts: DeliveryParts,
): Promise<void> {
  const { id, organizationId } = webhook
  const { sql, log, times } = parts
  const attempts = isNew ? 1 : webhook.attempts + 1
  const isOld = webhook.failingFor > times.giveUp && attempts >= minTries
  if (isGone || isOld) return park(webhook, { reason, attempts }, parts)
  log.info({ webhookId: id, organizationId, attempts, reason }, 'a webhook was not delivered; it will be tried again')
  const wait = Math.min(times.longestRetry, times.retry * 2 ** (attempts - 1))
  await postponeWebhook(sql, webhook, reason, jittered(wait))
}

/** `attempts`: all at the delivery that is given up. */
async function park(
  webhook: Lease,
  { reason, attempts }: { readonly reason: string; readonly attempts: number },
  { sql, log }: DeliveryParts,
): Promise<void> {
  const { id, organizationId } = webhook
  const facts = { userId: null, organizationId, target: id, attempts }
  const event = createAuditEvent('webhook-parked', facts, { ...noRequest, requestId: newId() })
  if (!(await parkWebhook(sql, webhook, { reason, attempts }, event))) return
  log.warn({ webhookId: id, organizationId, attempts, reason }, 'a webhook was given up until it is resumed')
}

const queryOf = ({ organizationId, events }: ClaimedWebhook): AuditQuery => ({
  reader: organizationId === null ? { kind: 'all' } : { kind: 'organization', userId: null, organizationId },
  filter: {
    events: events?.flatMap(auditEventsNamed) ?? null,
    userId: null,
    actorId: null,
    organizationId: null,
    since: null,
    until: null,
  },
  limit: pageSize,
})

/**
 * What is sent of an event. The id stays the same at every attempt. Equal events of a minute share a row whose count
 * grows, so the count belongs to the id: a receiver that ignores known ids would otherwise miss the later ones.
 */
const messageOf = (event: AuditEventView): { readonly id: string; readonly body: string } => ({
  id: event.count === 1 ? event.id : `${event.id}.${event.count}`,
  body: JSON.stringify({ type: event.event, timestamp: event.lastAt, data: event }),
})
