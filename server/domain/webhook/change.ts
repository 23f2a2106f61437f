import type { Input, Output } from '../../../shared/contract/call.ts'
import type * as calls from '../../../shared/contract/webhook.ts'
import { Failure } from '../../../shared/failure.ts'
import { defaultSecretOverlap, type Webhook } from '../../../shared/webhook.ts'
import { inLastTrip, inOneTrip, type Sql } from '../../db/connect.ts'
import { lockOrganization } from '../../db/organizations.ts'
import { type Tx, transactionWithEvents } from '../../db/transaction.ts'
import { currentPosition, openFeed, type TrailPosition } from '../../db/webhook-feed.ts'
import {
  findWebhook,
  isOfService,
  lockWebhook,
  organizationOfWebhook,
  resumeWebhook as resume,
  rotateWebhook as rotate,
  updateWebhook as update,
} from '../../db/webhooks.ts'
import type { Deps } from '../../deps.ts'
import type { PendingAuditEvent } from '../../request/audit-event.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requireFreshSession } from '../../request/sign-in-method-capability.ts'
import { isSameDatabase, markText, readMark } from '../audit/cursor.ts'
import { holdSession, requireLiveSession } from '../key/rights.ts'
import {
  lockOwnRights,
  requireKnownEvents,
  requireVisibleWebhook,
  requireWebhookPermission,
  requireWebhookUrl,
} from './rights.ts'
import { createWebhookSecret, cursorAt, findForMember, requireOwn, requireStored } from './webhooks.ts'

interface Change<T> {
  readonly id: string
  readonly name: 'webhook-updated' | 'webhook-rotated' | 'webhook-resumed' | 'webhook-tested'
  readonly event: (tx: Tx<Change<T>['name']>, about: About) => PendingAuditEvent
  /** Decides, and returns the statement. */
  readonly work: (event: PendingAuditEvent, webhook: Webhook, position: TrailPosition) => (last: Sql) => PromiseLike<T>
}

interface About {
  readonly userId: string
  readonly organizationId: string | null
  readonly target: string
}

const changeWebhook = async (deps: Deps, client: Client, caller: Caller, change: Change<unknown>): Promise<Webhook> =>
  (await actOnWebhook(deps, client, caller, change)).webhook

/**
 * Behind the locks of its organization or of the administration, and of itself, so that nobody loses the right
 * meanwhile. `done`: what the statement answered.
 */
export function actOnWebhook<T>(
  deps: Deps,
  client: Client,
  caller: Caller,
  { id, name, event: eventOf, work }: Change<T>,
): Promise<{ readonly webhook: Webhook; readonly done: T }> {
  const { sql, config } = deps
  return transactionWithEvents(sql, client.requireRoom(null, name), async (tx) => {
    const [position, , person, , isLive, , found, member] = await inOneTrip(
      tx,
      currentPosition,
      ...lockOwnRights(caller, (one) => isOfService(one, id)),
      (one) => lockOrganization(one, organizationOfWebhook(one, id)),
      (one) => holdSession(one, caller),
      (one) => lockWebhook(one, id),
      ...findForMember(caller, id),
    )
    requireLiveSession(isLive)
    const webhook = requireVisibleWebhook(config, person, found, member)
    const { organizationId } = webhook
    requireWebhookPermission(config, person, { organizationId, member }, ['update', 'WEBHOOK_UPDATE_FORBIDDEN'])
    const event = eventOf(tx, { userId: caller.user.id, organizationId, target: id })
    requireOwn(deps, position)
    const act = work(event, webhook, position)
    const [, done, stored] = await inLastTrip(
      tx,
      (last) => openFeed(last, position),
      act,
      (last) => findWebhook(last, id),
    )
    return { webhook: requireStored(stored), done }
  })
}

export async function updateWebhook(
  deps: Deps,
  client: Client,
  caller: Caller,
  { webhookId, ...asked }: Input<typeof calls.updateWebhook>,
): Promise<Output<typeof calls.updateWebhook>> {
  const url =
    asked.url === undefined
      ? undefined
      : { namedBy: requireFreshSession(caller), address: requireWebhookUrl(deps.config, asked.url) }
  requireKnownEvents(asked.events ?? [])
  const events = asked.events ? [...new Set(asked.events)] : asked.events
  const given = { url, events, paused: asked.paused }
  const fields = Object.entries(given)
    .flatMap(([field, value]) => (value === undefined ? [] : field))
    .join(' ')
  if (fields === '') throw new Failure('NO_DATA_TO_UPDATE')
  return changeWebhook(deps, client, caller, {
    id: webhookId,
    name: 'webhook-updated',
    event: (tx, about) => client.event(tx, 'webhook-updated', { ...about, fields }),
    work: (event) => (last) => update(last, webhookId, given, event),
  })
}

export async function rotateWebhook(
  deps: Deps,
  client: Client,
  caller: Caller,
  { webhookId, overlap = defaultSecretOverlap }: Input<typeof calls.rotateWebhook>,
): Promise<Output<typeof calls.rotateWebhook>> {
  const rotatedBy = requireFreshSession(caller)
  const secret = createWebhookSecret()
  const rotation = { secret: deps.keys.webhook.seal(secret, webhookId), overlap, rotatedBy }
  const rotated = await changeWebhook(deps, client, caller, {
    id: webhookId,
    name: 'webhook-rotated',
    event: (tx, about) => client.event(tx, 'webhook-rotated', { ...about, overlap }),
    work: (event) => (last) => rotate(last, webhookId, rotation, event),
  })
  return { ...rotated, secret }
}

/** In a copy of the database, or after its files were restored, it goes on from now unless a cursor is given. */
export async function resumeWebhook(
  deps: Deps,
  client: Client,
  caller: Caller,
  { webhookId, after }: Input<typeof calls.resumeWebhook>,
): Promise<Output<typeof calls.resumeWebhook>> {
  const replay = after === undefined ? null : readMark(after)
  return changeWebhook(deps, client, caller, {
    id: webhookId,
    name: 'webhook-resumed',
    event: (tx, about) => client.event(tx, 'webhook-resumed', { ...about, isReplay: replay !== null }),
    work: (event, { cursor }, position) => {
      if (replay && !isSameDatabase(position, replay)) throw new Failure('CURSOR_OF_ANOTHER_DATABASE')
      const from = replay ? markText(replay) : cursorFrom(cursor, position)
      return (last) => resume(last, webhookId, from, event)
    },
  })
}

/** Null to go on where it is. */
const cursorFrom = (cursor: string, position: TrailPosition): string | null =>
  isSameDatabase(position, readMark(cursor)) ? null : cursorAt(position)
