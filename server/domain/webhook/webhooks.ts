import { randomBytes } from 'node:crypto'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type * as calls from '../../../shared/contract/webhook.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Webhook } from '../../../shared/webhook.ts'
import type { Config } from '../../config.ts'
import { newId } from '../../crypto/id.ts'
import { inLastTrip, inOneTrip, type Sql, withCommit } from '../../db/connect.ts'
import { readList } from '../../db/lists.ts'
import { type Actor, findActor, lockOrganizationAndFindActor } from '../../db/organization-actors.ts'
import { lockOrganization } from '../../db/organizations.ts'
import { transactionWithEvents } from '../../db/transaction.ts'
import { currentPosition, lockFeed, openFeed, type TrailPosition } from '../../db/webhook-feed.ts'
import {
  listWebhooks as find,
  findWebhook,
  insertWebhook,
  isOfService,
  organizationOfWebhook,
  deleteWebhook as remove,
  type WebhookDraft,
} from '../../db/webhooks.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import type { Freshness } from '../../request/freshness.ts'
import { type PageOf, readPageRequest, rowLimitFor } from '../../request/paging.ts'
import { requireFreshSession, type SignInMethodCapability } from '../../request/sign-in-method-capability.ts'
import { ownPersonOf } from '../admin/permission.ts'
import { markText } from '../audit/cursor.ts'
import { detectCopy } from '../copy/detect-copy.ts'
import { holdSession, requireLiveSession } from '../key/rights.ts'
import { listAsMember, requireAllowed } from '../organization/roles.ts'
import {
  lockOwnRights,
  mayReadTrail,
  requireKnownEvents,
  requireVisibleWebhook,
  requireWebhookPermission,
  requireWebhookUrl,
} from './rights.ts'

/** As Standard Webhooks writes it. */
export const createWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** The only answer, besides that of a rotation, that contains the secret. */
export async function createWebhook(
  deps: Deps,
  client: Client,
  caller: Caller,
  asked: Input<typeof calls.createWebhook>,
): Promise<Output<typeof calls.createWebhook>> {
  const { sql, config, keys } = deps
  const secret = createWebhookSecret()
  const mayAdd = requireFreshSession(caller)
  const organizationId = asked.organizationId ?? null
  const draft = draftOf(config, mayAdd, asked)
  const room = client.requireRoom(organizationId, 'webhook-created')
  const made = await transactionWithEvents(sql, room, async (tx) => {
    const [position, , person, member, isLive] = await inOneTrip(
      tx,
      // Read before the transaction has a number, so that the first event it receives is its own creation.
      currentPosition,
      ...lockOwnRights(caller, (one) => one`${organizationId}::text is null`),
      lockPlace(organizationId, caller),
      (one) => holdSession(one, caller),
    )
    requireOwn(deps, position)
    requireLiveSession(isLive)
    requireWebhookPermission(config, person, { organizationId, member }, ['create', 'WEBHOOK_CREATE_FORBIDDEN'])
    const event = client.event(tx, 'webhook-created', { userId: caller.user.id, organizationId, target: draft.id })
    const sealed = { cursor: cursorAt(position), secret: keys.webhook.seal(secret, draft.id) }
    const [, isInserted, stored] = await inLastTrip(
      tx,
      (last) => openFeed(last, position),
      (last) => insertWebhook(last, { ...draft, ...sealed }, event),
      (last) => findWebhook(last, draft.id),
    )
    if (!isInserted) throw new Failure('WEBHOOK_LIMIT_REACHED')
    return requireStored(stored)
  })
  return { ...made, secret }
}

function draftOf(
  config: Config,
  createdBy: SignInMethodCapability,
  { url, organizationId, events }: Input<typeof calls.createWebhook>,
): Omit<WebhookDraft, 'cursor' | 'secret'> {
  requireKnownEvents(events ?? [])
  return {
    id: newId(),
    organizationId: organizationId ?? null,
    url: requireWebhookUrl(config, url),
    events: events ? [...new Set(events)] : null,
    createdBy,
    limit: config.WEBHOOK_LIMIT,
  }
}

/** The cursor of what happens after a position. */
export const cursorAt = ({ copy, snapshot }: TrailPosition): string => markText({ copy, seen: snapshot, part: null })

/** In a copy that does not know yet that it is one, nobody can say what was sent. It is marked as a copy meanwhile. */
export function requireOwn(deps: Pick<Deps, 'sql' | 'log'>, { isOwn }: TrailPosition): void {
  if (isOwn) return
  detectCopy(deps).catch((err: unknown) => deps.log.warn({ err }, 'a copy of the database could not be marked as one'))
  throw new Failure('SERVICE_UNAVAILABLE', {
    cause: 'the database is a copy and is being marked as one',
    retryAfter: 1,
  })
}

/** Locks what the webhooks are counted in. */
const lockPlace =
  (organizationId: string | null, { user }: Caller) =>
  async (tx: Sql): Promise<Actor | null> => {
    if (organizationId !== null) return lockOrganizationAndFindActor(tx, organizationId, user.id)
    await lockFeed(tx)
    return null
  }

/** A webhook that the current transaction has just created or changed. */
export function requireStored(webhook: Webhook | null): Webhook {
  if (!webhook) throw new Failure('WEBHOOK_NOT_FOUND')
  return webhook
}

/** Lists the webhooks of the named organization, or else those of the service. */
export async function listWebhooks(
  deps: Deps,
  caller: Caller,
  { organizationId, ...asked }: Input<typeof calls.listWebhooks>,
  freshness: Freshness,
): Promise<PageOf<Webhook>> {
  const { config } = deps
  const page = readPageRequest(asked, rowLimitFor(config.WEBHOOK_LIMIT))
  if (organizationId === undefined) {
    if (!mayReadTrail(config, ownPersonOf(caller), null, null)) throw new Failure('WEBHOOK_LIST_FORBIDDEN')
    return readList(deps, freshness, (sql) => find(sql, null, page))
  }
  const failures = { none: 'NOT_A_MEMBER_FORBIDDEN', outsider: 'NOT_A_MEMBER_FORBIDDEN' } as const
  const { actor, found } = await listAsMember(
    deps,
    caller,
    { ...failures, named: organizationId, freshness },
    (sql, of) => find(sql, of, page),
  )
  requireAllowed(actor, (as) => mayReadTrail(config, null, organizationId, as), 'WEBHOOK_LIST_FORBIDDEN')
  return found
}

export async function viewWebhook(
  { sql, config }: Deps,
  caller: Caller,
  { webhookId }: Input<typeof calls.viewWebhook>,
): Promise<Output<typeof calls.viewWebhook>> {
  const [found, member] = await inOneTrip(sql, ...findForMember(caller, webhookId))
  return requireVisibleWebhook(config, ownPersonOf(caller), found, member)
}

/** The statements of one trip that find a webhook and the caller's membership of its organization. */
export const findForMember = ({ user }: Caller, id: string) =>
  [(sql: Sql) => findWebhook(sql, id), (sql: Sql) => findActor(sql, organizationOfWebhook(sql, id), user.id)] as const

export async function deleteWebhook(
  { sql, config }: { readonly sql: Deps['sql']; readonly config: Config },
  client: Client,
  caller: Caller,
  { webhookId }: Input<typeof calls.deleteWebhook>,
): Promise<Output<typeof calls.deleteWebhook>> {
  return transactionWithEvents(sql, client.requireRoom(null, 'webhook-deleted'), async (tx) => {
    // Behind the locks, so that nobody loses the right meanwhile.
    const [, person, , isLive, found, member] = await inOneTrip(
      tx,
      ...lockOwnRights(caller, (one) => isOfService(one, webhookId)),
      (one) => lockOrganization(one, organizationOfWebhook(one, webhookId)),
      (one) => holdSession(one, caller),
      ...findForMember(caller, webhookId),
    )
    requireLiveSession(isLive)
    const webhook = requireVisibleWebhook(config, person, found, member)
    const { organizationId } = webhook
    requireWebhookPermission(config, person, { organizationId, member }, ['delete', 'WEBHOOK_DELETE_FORBIDDEN'])
    const about = { userId: caller.user.id, organizationId, target: webhookId }
    const event = client.event(tx, 'webhook-deleted', about)
    const isGone = await withCommit(tx, (last) => remove(last, webhookId, event))
    if (!isGone) throw new Failure('WEBHOOK_NOT_FOUND')
    return webhook
  })
}
