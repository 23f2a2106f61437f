import type { AuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent } from './audit-events.ts'
import { byDatabase, newRow } from './columns.ts'
import type { Sql } from './connect.ts'
import type { Outcome } from './outcome.ts'
import { getOwn } from './own-row.ts'
import { endOverLimit, type NewSession, SessionColumns, startOf } from './sessions.ts'
import { isSponsored } from './standing.ts'

export interface Exchange {
  readonly trustId: string
  readonly session: NewSession
  /** That this very token was used: an id of the note, what it is called, and the seconds for which it is kept. */
  readonly use: { readonly id: string; readonly identifier: string; readonly seconds: number }
  /** Sessions that one rule may have; the oldest go first. */
  readonly limit: number
  readonly event: AuditEvent
}

/** `replayed`: the token was used before. `ended`: the rule, its machine or the membership ended meanwhile, or is banned. `sponsor`: nobody active is responsible for it. */
export type ExchangeOutcome = Outcome<object, 'replayed' | 'ended' | 'sponsor'>

/**
 * Uses a token up and begins the session that it is worth, in one statement. The session is not remembered, so nothing ever
 * extends it, and its organization is active from the start.
 */
export async function exchange(sql: Sql, exchanged: Exchange): Promise<ExchangeOutcome> {
  const { trustId, session, use, limit, event } = exchanged
  const steps = sql`
    noted as (
      insert into verifications (id, identifier, value, expires_at)
      values (${use.id}, ${use.identifier}, '', now() + make_interval(secs => ${use.seconds}))
      on conflict (identifier) do nothing
      returning id
    ), allowed as (
      select u.id, t.organization_id, ${isSponsored(sql)} as is_sponsored from trust_rules t
      join users u on u.id = t.user_id and (u.banned is not true or u.ban_expires <= now())
      join members m on m.organization_id = t.organization_id and m.user_id = u.id
      where t.id = ${trustId} and exists (select from noted)
      for key share of u, m
    ), started as (
      insert into sessions ${sessionByRule(sql, session, trustId)}
      from allowed where is_sponsored
      returning user_id
    ), used as (
      update trust_rules set last_used_at = now() where id = ${trustId} and exists (select from started)
    ),
    ended as (select null as id where false),
    over_limit as (${endOverLimit(sql, sql`select user_id from started`, limit)}),
    audited as (${insertAuditEvent(sql, event, sql`select from started`)})
  `
  const found = sql`
    select exists (select from noted) as is_new, exists (select from allowed) as is_there,
      exists (select from started) as is_started
  `
  type Row = { isNew: boolean; isThere: boolean; isStarted: boolean }
  const { isNew, isThere, isStarted } = await getOwn<Row>(sql, session.tokenHash, found, steps)
  if (isStarted) return { outcome: 'done' }
  return { outcome: !isNew ? 'replayed' : isThere ? 'sponsor' : 'ended' }
}

/** For the machine that a row of `allowed` is. */
function sessionByRule(sql: Sql, session: NewSession, trustId: string) {
  const fields = {
    ...startOf(sql, session),
    userId: sql`id`,
    label: session.label,
    activeOrganizationId: sql`organization_id`,
    impersonatedBy: byDatabase,
  } as const
  return newRow(sql, SessionColumns, fields, { tokenHash: session.tokenHash, remembered: false, trustId })
}
