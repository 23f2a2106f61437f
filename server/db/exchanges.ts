import type { Admitted } from '../request/admission.ts'
import type { AuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent } from './audit-events.ts'
import type { Sql } from './connect.ts'
import type { Outcome } from './outcome.ts'
import { getOwn } from './own-row.ts'
import { mayEnter, startSession } from './session-start.ts'
import { isSponsored } from './standing.ts'

export interface Exchange {
  readonly trustId: string
  readonly admitted: Admitted
  /** That this very token was used: an id of the note, what it is called, and the seconds for which it is kept. */
  readonly use: { readonly id: string; readonly identifier: string; readonly seconds: number }
  readonly event: AuditEvent
}

/** `replayed`: the token was used before. `ended`: the rule, its machine or the membership ended meanwhile, or is banned. `sponsor`: nobody active is responsible for it. */
export type ExchangeOutcome = Outcome<object, 'replayed' | 'ended' | 'sponsor'>

/**
 * Uses a token up and begins the session that it is worth, in one statement. The session is not remembered, so nothing ever
 * extends it, and its organization is active from the start.
 */
export async function exchange(sql: Sql, exchanged: Exchange): Promise<ExchangeOutcome> {
  const { trustId, admitted, use, event } = exchanged
  const machine = sql`
    select id, organization_id, null::text as account_id, null::text as proven_email from allowed where is_sponsored
  `
  const steps = sql`
    noted as (
      insert into verifications (id, identifier, value, expires_at)
      values (${use.id}, ${use.identifier}, '', now() + make_interval(secs => ${use.seconds}))
      on conflict (identifier) do nothing
      returning id
    ), allowed as (
      select u.id, t.organization_id, ${isSponsored(sql)} as is_sponsored from trust_rules t
      join users u on u.id = t.user_id and ${mayEnter(sql, admitted)}
      join members m on m.organization_id = t.organization_id and m.user_id = u.id
      where t.id = ${trustId} and exists (select from noted)
      for key share of u, m
    ),
    ${startSession(sql, admitted, machine, {
      activeOrganizationId: sql`of_user.organization_id`,
      trustId: sql`${trustId}`,
    })},
    used as (
      update trust_rules set last_used_at = now() where id = ${trustId} and exists (select from started)
    ),
    audited as (${insertAuditEvent(sql, event, sql`select from started`)})
  `
  const found = sql`
    select exists (select from noted) as is_new, exists (select from allowed) as is_there,
      exists (select from started) as is_started
  `
  type Row = { isNew: boolean; isThere: boolean; isStarted: boolean }
  const { isNew, isThere, isStarted } = await getOwn<Row>(sql, admitted.session.tokenHash, found, steps)
  if (isStarted) return { outcome: 'done' }
  return { outcome: !isNew ? 'replayed' : isThere ? 'sponsor' : 'ended' }
}
