import type { PendingAuditEvent } from '../request/audit-event.ts'
import { runAudited, unseenEvents } from './audit-events.ts'
import { one } from './checked-row.ts'
import type { Sql } from './connect.ts'
import { currentCopy } from './database-copies.ts'

/** Where the trail is now. */
export interface TrailPosition {
  readonly snapshot: string
  readonly copy: string
  /** False for a copy that has not noticed yet that it is one. */
  readonly isOwn: boolean
}

export const currentPosition = (sql: Sql): Promise<TrailPosition> =>
  one(
    sql<
      TrailPosition[]
    >`select pg_current_snapshot()::text as snapshot, n.id as copy, n.is_own from (${currentCopy(sql)}) n`,
  )

/** Locks the feed: webhooks of the service are counted behind it. */
export const lockFeed = (tx: Sql) => tx`select from webhook_feed where id = 'feed' for no key update`

/** Null without any. By the index, so that it reads one row of it. */
const firstWebhook = (sql: Sql) => sql`(select id from webhooks order by id limit 1)`

/**
 * Begins to look through the trail, if no webhook was there or the feed is of another database. Whoever creates the
 * first one at the same moment waits, and leaves the earlier position.
 */
export const openFeed = (tx: Sql, { copy, snapshot }: Pick<TrailPosition, 'copy' | 'snapshot'>) => tx`
  update webhook_feed set copy = ${copy}, seen = ${snapshot}
  where id = 'feed' and (copy <> ${copy} or ${firstWebhook(tx)} is null)
`

/**
 * Looks at the events since the last look, and wakes the webhooks that they concern. It is one statement, so that
 * everything in it sees the same events, and a transaction that commits late is seen by the next look. Does nothing
 * while another process looks, while there is no webhook, and in a copy of the database.
 */
export const wakeWebhooks = (sql: Sql) => sql`
  with feed as materialized (
    select f.seen::pg_snapshot from webhook_feed f
    join (${currentCopy(sql)}) n on n.id = f.copy and n.is_own
    where ${firstWebhook(sql)} is not null
    for no key update of f skip locked
  ),
  told as materialized (
    select distinct e.organization_id from feed f
    cross join lateral (
      ${unseenEvents(sql, sql`f.seen`, (isUnseen) => sql`select e.organization_id from audit_events e where ${isUnseen}`)}
    ) e
  ),
  concerned as (
    select w.id from webhooks w where w.organization_id is null and exists (select from told)
    union all
    select w.id from told t join webhooks w on w.organization_id = t.organization_id
  ),
  woken as (
    update webhooks set has_news = true, next_at = coalesce(next_at, now())
    where id = any(array(select id from concerned)) and not has_news
  )
  update webhook_feed set seen = pg_current_snapshot()::text
  where id = 'feed' and exists (select from told)
`

/** Lets every webhook look for itself, from the last look of the feed on. */
export const wakeAllWebhooks = (sql: Sql) => sql`
  with woken as (
    update webhooks set has_news = true, next_at = coalesce(next_at, now()) where not has_news
  )
  update webhook_feed set seen = pg_current_snapshot()::text
  where id = 'feed' and copy = (select n.id from (${currentCopy(sql)}) n where n.is_own)
`

/** A webhook that this process alone sends to, until its lease ends or somebody changes the webhook. */
export interface ClaimedWebhook {
  readonly id: string
  readonly organizationId: string | null
  readonly url: string
  readonly events: readonly string[] | null
  readonly cursor: string
  readonly secret: Buffer
  /** Null unless it still signs. */
  readonly previousSecret: Buffer | null
  /** Failed attempts at the delivery that is due. */
  readonly attempts: number
  /** Seconds since the first of them. */
  readonly failingFor: number
}

/**
 * Claims webhooks that are due, for `seconds`: those of the service, and of each organization the one that has been due
 * longest. None in a copy that has not noticed that it is one.
 */
export const claimWebhooks = (sql: Sql, { lease, seconds, most, busy }: Claim) => sql<ClaimedWebhook[]>`
  with first as (
    select distinct on (coalesce(w.organization_id, w.id)) w.id
    from webhooks w
    where w.next_at <= now() and w.parked_at is null and not w.paused
      and coalesce(w.organization_id, '') <> all(${busy}::text[])
    order by coalesce(w.organization_id, w.id), w.next_at
  ),
  due as (
    select w.id from webhooks w
    join first f on f.id = w.id
    join (${currentCopy(sql)}) n on n.is_own
    where w.next_at <= now() and w.parked_at is null and not w.paused
    order by w.organization_id is not null, w.next_at
    limit ${most}
    for no key update of w skip locked
  )
  update webhooks w
  set lease = ${lease}, has_news = false, next_at = now() + make_interval(secs => ${seconds})
  from due where w.id = due.id
  returning w.id, w.organization_id, w.url, w.events, w.cursor, w.secret,
    case when w.previous_ends_at > now() then w.previous_secret end as previous_secret, w.attempts,
    coalesce(extract(epoch from now() - w.failing_since), 0)::float8 as failing_for
`

interface Claim {
  readonly lease: string
  readonly seconds: number
  readonly most: number
  /** Organizations that have their share of turns; empty: the service. */
  readonly busy: readonly string[]
}

interface Held {
  readonly id: string
  readonly lease: string
}

/** Extends the lease. False when it was lost, as it is by every change of the webhook. */
export async function holdWebhook(sql: Sql, { id, lease }: Held, seconds: number): Promise<boolean> {
  const { count } = await sql`
    update webhooks set next_at = now() + make_interval(secs => ${seconds}) where id = ${id} and lease = ${lease}
  `
  return count > 0
}

/** Records a delivery, and extends the lease. False when the lease was lost: nothing more may be sent. */
export async function advanceWebhook(sql: Sql, { id, lease }: Held, cursor: string, seconds: number): Promise<boolean> {
  const { count } = await sql`
    update webhooks
    set cursor = ${cursor}, delivered_at = now(), attempts = 0, failing_since = null, last_error = null,
      next_at = now() + make_interval(secs => ${seconds})
    where id = ${id} and lease = ${lease}
  `
  return count > 0
}

interface Looked {
  readonly cursor: string
  /** Nothing of what was read is left. What failed before is among it, or is not to be sent any more. */
  readonly isDone: boolean
  readonly hasMore: boolean
}

/** Gives a webhook back. Without more to send, it sleeps until it is woken. */
export const releaseWebhook = (sql: Sql, { id, lease }: Held, { cursor, isDone, hasMore }: Looked) => sql`
  update webhooks
  set cursor = ${cursor}, lease = null, next_at = case when ${hasMore} or has_news then now() end,
    attempts = case when ${isDone} then 0 else attempts end, failing_since = case when not ${isDone} then failing_since end,
    last_error = case when not ${isDone} then last_error end
  where id = ${id} and lease = ${lease}
`

/** Records a failed attempt. The next one is due after `delay` seconds. */
export const postponeWebhook = (sql: Sql, { id, lease }: Held, reason: string, delay: number) => sql`
  update webhooks
  set lease = null, attempts = attempts + 1, failing_since = coalesce(failing_since, now()), last_error = ${reason},
    next_at = now() + make_interval(secs => ${delay})
  where id = ${id} and lease = ${lease}
`

/** Makes webhooks due whose next attempt is later than any wait, as `hastenMails` does. */
export const hastenWebhooks = (sql: Sql) => sql`
  update webhooks set next_at = now()
  where next_at > now() + interval '2 hours' and parked_at is null and not paused
`

/**
 * Gives a webhook back that nothing was tried with, for `delay` seconds. False when it had this reason already, or when
 * the lease was lost.
 */
export async function setWebhookBack(sql: Sql, { id, lease }: Held, reason: string, delay: number): Promise<boolean> {
  const held = await sql<{ isNew: boolean }[]>`
    with held as (select last_error from webhooks where id = ${id} and lease = ${lease})
    update webhooks w set lease = null, last_error = ${reason}, next_at = now() + make_interval(secs => ${delay})
    from held where w.id = ${id} and w.lease = ${lease}
    returning held.last_error is distinct from ${reason}::text as is_new
  `
  return held.some(({ isNew }) => isNew)
}

/** Gives a webhook up until somebody resumes it, with its event in the trail. False when the lease was lost. */
export function parkWebhook(
  sql: Sql,
  { id, lease }: Held,
  { reason, attempts }: { readonly reason: string; readonly attempts: number },
  event: PendingAuditEvent,
): Promise<boolean> {
  const parked = sql`
    update webhooks
    set lease = null, attempts = ${attempts}, failing_since = coalesce(failing_since, now()), last_error = ${reason},
      parked_at = now()
    where id = ${id} and lease = ${lease}
    returning id
  `
  return runAudited(sql, parked, event)
}

export interface SealedSecrets {
  readonly id: string
  readonly secret: Buffer
  readonly previousSecret: Buffer | null
}

/** The webhooks after one of them, in the order of their ids. */
export const listWebhookSecrets = (sql: Sql, after: string, most: number) => sql<SealedSecrets[]>`
  select id, secret, previous_secret from webhooks where id > ${after} order by id limit ${most}
`

/** Replaces sealed secrets by the same sealed anew, unless they were rotated meanwhile. */
export const resealWebhook = (sql: Sql, before: SealedSecrets, now: Omit<SealedSecrets, 'id'>) => sql`
  update webhooks set secret = ${now.secret}, previous_secret = ${now.previousSecret}
  where id = ${before.id} and secret = ${before.secret} and previous_secret is not distinct from ${before.previousSecret}
`
