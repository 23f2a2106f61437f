import { Webhook } from '../../shared/webhook.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { type PageOf, type PageRequest, toPage } from '../request/paging.ts'
import type { SignInMethodCapability } from '../request/sign-in-method-capability.ts'
import { runAudited, withAuditEvent } from './audit-events.ts'
import { oneOrNone } from './checked-row.ts'
import { columnsOf, combineColumns, computedColumns, databaseDefault, newRow } from './columns.ts'
import type { ReadSql, Sql } from './connect.ts'
import { heldWebhook } from './database-copies.ts'
import { isMember, type OrganizationReader } from './organization-actors.ts'

/** What its own row stores under the same name. */
const PlainWebhook = Webhook.omit({ nextAttemptAt: true, overlapEndsAt: true })
type ComputedFields = Pick<Webhook, 'nextAttemptAt' | 'overlapEndsAt'>

const webhookColumns = (sql: ReadSql) =>
  combineColumns(
    sql,
    columnsOf(sql, PlainWebhook, 'w'),
    computedColumns<ComputedFields>(sql, {
      nextAttemptAt: sql`case when w.failing_since is not null and w.parked_at is null then w.next_at end`,
      overlapEndsAt: sql`case when w.previous_ends_at > now() then w.previous_ends_at end`,
    }),
  )

export const findWebhook = (sql: ReadSql, id: string): Promise<Webhook | null> =>
  oneOrNone(sql`select ${webhookColumns(sql)} from webhooks w where w.id = ${id}`)

/** A subquery for the organization of a webhook. Null for one of the service. */
export const organizationOfWebhook = (sql: Sql, id: string) =>
  sql`(select organization_id from webhooks where id = ${id})`

export const isOfService = (sql: Sql, id: string) =>
  sql`exists (select from webhooks where id = ${id} and organization_id is null)`

/** Whose webhooks: an organization's, for its members, or those of the service. Newest first. */
export async function listWebhooks(
  sql: ReadSql,
  reader: OrganizationReader | null,
  page: PageRequest,
): Promise<PageOf<Webhook>> {
  const rows = await sql`
    select ${webhookColumns(sql)} from webhooks w
    where ${isAt(sql, reader?.organizationId ?? null)} and ${reader ? isMember(sql, reader) : sql`true`}
    order by w.created_at desc, w.id desc
    limit ${page.limit + 1} offset ${page.offset}
  `
  return toPage(rows, page)
}

/** Of an organization, or of the service. */
const isAt = (sql: ReadSql, organizationId: string | null) =>
  organizationId === null ? sql`organization_id is null` : sql`organization_id = ${organizationId}`

export interface WebhookDraft {
  readonly id: string
  readonly organizationId: string | null
  readonly url: string
  readonly events: readonly string[] | null
  readonly cursor: string
  /** Sealed under the id. */
  readonly secret: Buffer
  readonly createdBy: SignInMethodCapability
  /** The maximum number of webhooks of its organization, or of the service. */
  readonly limit: number
}

/** False when there are too many. The caller has locked what they are counted in. */
export function insertWebhook(tx: Sql, draft: WebhookDraft, event: PendingAuditEvent): Promise<boolean> {
  const { id, organizationId, url, events, cursor, secret, createdBy, limit } = draft
  const made = tx`
    insert into webhooks ${newRow(
      tx,
      PlainWebhook,
      {
        id,
        organizationId: tx`${organizationId}::text`,
        url,
        events: tx`${events}::text[]`,
        paused: databaseDefault,
        cursor,
        createdBy: createdBy.userId,
        createdAt: databaseDefault,
        updatedAt: databaseDefault,
        deliveredAt: databaseDefault,
        failingSince: databaseDefault,
        attempts: databaseDefault,
        lastError: databaseDefault,
        parkedAt: databaseDefault,
      },
      { secret },
    )}
    where (select count(*) from webhooks where ${isAt(tx, organizationId)}) < ${limit}
    returning id
  `
  return runAudited(tx, made, event)
}

/** Locks a webhook, so that changes of it come one after the other. */
export const lockWebhook = (tx: Sql, id: string) => tx`select from webhooks where id = ${id} for no key update`

/** Whoever names an address reads the trail there, after the session has ended, too. */
interface NewAddress {
  readonly address: string
  readonly namedBy: SignInMethodCapability
}

interface WebhookChange {
  readonly url: NewAddress | undefined
  readonly events: readonly string[] | null | undefined
  readonly paused: boolean | undefined
}

// A change takes the lease from the process that is sending. It stops after the delivery that it has begun.
const dueNow = (sql: Sql) => sql`lease = null, next_at = now(), has_news = true`

/**
 * Changes what is given, and tries at once what waits, which may be another delivery: attempts begin anew. The reason
 * why a webhook was given up stays until it is resumed.
 */
export const updateWebhook = (
  tx: Sql,
  id: string,
  { url, events, paused }: WebhookChange,
  event: PendingAuditEvent,
): Promise<boolean> =>
  runAudited(
    tx,
    tx`
      update webhooks set updated_at = now(), ${dueNow(tx)},
        url = coalesce(${url?.address ?? null}::text, url),
        events = ${events === undefined ? tx`events` : tx`${events}::text[]`},
        paused = coalesce(${paused ?? null}::boolean, paused),
        attempts = 0, failing_since = null, last_error = case when parked_at is not null then last_error end
      where id = ${id}
      returning id
    `,
    event,
  )

interface NewSecret {
  /** Sealed under the id. */
  readonly secret: Buffer
  /** Seconds. */
  readonly overlap: number
  readonly rotatedBy: SignInMethodCapability
}

/** The current secret becomes the previous one, for `overlap` seconds. */
export const rotateWebhook = (
  tx: Sql,
  id: string,
  { secret, overlap }: NewSecret,
  event: PendingAuditEvent,
): Promise<boolean> =>
  runAudited(
    tx,
    tx`
      update webhooks set updated_at = now(), ${dueNow(tx)}, secret = ${secret},
        previous_secret = case when ${overlap > 0} then secret end,
        previous_ends_at = case when ${overlap > 0} then now() + make_interval(secs => ${overlap}) end
      where id = ${id}
      returning id
    `,
    event,
  )

/** Clears what was given up. */
const resumed = (sql: Sql) =>
  sql`updated_at = now(), ${dueNow(sql)}, parked_at = null, failing_since = null, attempts = 0, last_error = null`

/** `cursor`: from where it goes on; null for where it is. */
export const resumeWebhook = (tx: Sql, id: string, cursor: string | null, event: PendingAuditEvent): Promise<boolean> =>
  runAudited(
    tx,
    tx`
      update webhooks set ${resumed(tx)}, cursor = coalesce(${cursor}::text, cursor)
      where id = ${id}
      returning id
    `,
    event,
  )

/** Records that a message is sent which stands for no event, and returns the secrets that sign it. */
export const recordWebhookTest = (tx: Sql, id: string, event: PendingAuditEvent) =>
  oneOrNone(tx<{ secret: Buffer; previousSecret: Buffer | null }[]>`
    with ${withAuditEvent(tx, tx`select id from webhooks where id = ${id}`, event)}
    select w.secret, case when w.previous_ends_at > now() then w.previous_secret end as previous_secret
    from done d join webhooks w on w.id = d.id
  `)

/** Resumes the webhooks that are parked because the database is a copy, from the cursor on. Returns how many. */
export async function resumeHeldWebhooks(tx: Sql, cursor: string): Promise<number> {
  const { count } = await tx`
    update webhooks set ${resumed(tx)}, cursor = ${cursor}
    where parked_at is not null and last_error = ${heldWebhook}
  `
  return count
}

/** False when it was deleted already. */
export const deleteWebhook = (tx: Sql, id: string, event: PendingAuditEvent): Promise<boolean> =>
  runAudited(tx, tx`delete from webhooks where id = ${id} returning id`, event)
