import { TrustRule } from '../../shared/machine-key.ts'
import type { Admitted } from '../request/admission.ts'
import type { AuditEvent } from '../request/audit-event.ts'
import { type PageOf, type PageRequest, toPage } from '../request/paging.ts'
import type { MayAddWayIn } from '../request/way-in.ts'
import { insertAuditEvent } from './audit-events.ts'
import { both, byDatabase, computed, newRow } from './columns.ts'
import type { Sql } from './connect.ts'
import { insertMachine, type NewMachine } from './machine-users.ts'
import { isSponsored, type Sponsorship, sponsorColumns } from './organization-actors.ts'
import { findOwn, getOwn, oneOrNone } from './own-row.ts'
import { mayEnter, startSession } from './session-start.ts'
import type { Outcome } from './transaction.ts'

/** A rule, before it is said what is left of its roles. */
export type StoredRule = Omit<TrustRule, 'authority'> & Sponsorship

/** What stands of it in its row: its roles are those of its membership. */
const RuleRow = TrustRule.omit({ role: true, sponsorId: true, sponsorName: true, authority: true })

/** What is known of a rule `t`, whose machine and membership are `u` and `m`. */
const ruleColumns = (sql: Sql) => both(sql, ownColumns(sql), sponsorColumns(sql))

const ownColumns = (sql: Sql) =>
  computed<Omit<StoredRule, keyof Sponsorship>>(sql, {
    id: 't.id',
    name: 't.name',
    userId: 't.userId',
    organizationId: 't.organizationId',
    issuer: 't.issuer',
    audience: 't.audience',
    claims: 't.claims',
    role: 'm.roles',
    rotates: 't.rotates',
    expiresIn: 't.expiresIn',
    createdBy: 't.createdBy',
    createdAt: 't.createdAt',
    lastUsedAt: 't.lastUsedAt',
  })

const rulesAndRoles = (sql: Sql) => sql`
  trust_rules t
  join users u on u.id = t.user_id
  join members m on m.organization_id = t.organization_id and m.user_id = t.user_id
`

/** The organization of a rule, by a look-up. */
export const organizationOfRule = (sql: Sql, id: string) =>
  sql`(select organization_id from trust_rules where id = ${id})`

export const findRule = (sql: Sql, id: string): Promise<StoredRule | null> =>
  oneOrNone(sql`select ${ruleColumns(sql)} from ${rulesAndRoles(sql)} where t.id = ${id}`)

/** Newest first. */
export async function listRules(sql: Sql, organizationId: string, page: PageRequest): Promise<PageOf<StoredRule>> {
  const rows = await sql`
    select ${ruleColumns(sql)} from ${rulesAndRoles(sql)}
    where t.organization_id = ${organizationId}
    order by t.created_at desc, t.id desc
    limit ${page.limit + 1} offset ${page.offset}
  `
  return toPage(rows, page)
}

export interface NewRule extends Pick<TrustRule, 'id' | 'name' | 'issuer' | 'audience' | 'claims' | 'rotates'> {
  readonly createdBy: MayAddWayIn
  /** One of the claims, by which the rule is found. */
  readonly pin: string
  /** Life of a session by it, in seconds. */
  readonly seconds: number
  /** Rules that the organization may have. */
  readonly limit: number
}

/** A rule of an organization, which was locked, with the machine user that it lets in; false when there are enough. */
export async function createRule(tx: Sql, rule: NewRule, machine: NewMachine): Promise<boolean> {
  const { organizationId } = machine
  const counted = tx`select count(*) from trust_rules where organization_id = ${organizationId}`
  const steps = tx`
    ${insertMachine(tx, machine, rule.createdBy, tx`select where (${counted}) < ${rule.limit}`)},
    rule as (
      insert into trust_rules ${newRow(
        tx,
        RuleRow,
        {
          id: rule.id,
          name: rule.name,
          userId: tx`id`,
          organizationId,
          issuer: rule.issuer,
          audience: rule.audience,
          claims: tx`${tx.json(rule.claims)}::jsonb`,
          rotates: tx`${rule.rotates}::text[]`,
          expiresIn: rule.seconds,
          createdBy: rule.createdBy.userId,
          createdAt: byDatabase,
          lastUsedAt: byDatabase,
        },
        { pin: rule.pin },
      )}
      from machine
      returning id
    )
  `
  return (await findOwn(tx, rule.id, tx`select id from rule`, steps)) !== null
}

/** Whether a session by a rule may rotate a key `k`: one that the rule names; where it names none, one that is not older. */
export const mayRotateBy = (sql: Sql, trustId: string) => sql`coalesce((
  select case when t.rotates is null then k.created_at >= t.created_at else k.id = any(t.rotates) end
  from trust_rules t where t.id = ${trustId}
), false)`

/** Whom a proven token may stand for, as it was asked for. */
export interface RuleQuery {
  readonly issuer: string
  readonly audience: string
  readonly claims: Readonly<Record<string, string>>
  /** Each claim as rules are found by. */
  readonly pins: readonly string[]
  /** Id or slug of an organization, id or name of one of its rules; without an organization the id of a rule. */
  readonly organization: string | null
  readonly trust: string | null
}

export interface RuleFor extends Pick<TrustRule, 'id' | 'userId' | 'organizationId' | 'expiresIn'> {
  /** Whether the token was made for whom the rule names. */
  readonly isForUs: boolean
}

/** An id before a slug: anybody may choose a slug that reads like another organization's id. */
const organizationNamed = (sql: Sql, word: string | null) => sql`coalesce(
  (select id from organizations where id = ${word}),
  (select id from organizations where slug = lower(${word}))
)`

/** The rules meant whose claims a token makes, those first that name its audience; two are enough to tell that there are several. */
export const findRulesFor = (sql: Sql, { issuer, audience, claims, pins, organization, trust }: RuleQuery) => sql<
  RuleFor[]
>`
  select t.id, t.user_id, t.organization_id, t.expires_in, t.audience = ${audience} as is_for_us
  from trust_rules t
  where t.issuer = ${issuer} and t.pin = any(${pins as string[]}) and ${sql.json(claims)}::jsonb @> t.claims
    and case when ${organization}::text is null then t.id = ${trust}
      else t.organization_id = ${organizationNamed(sql, organization)}
        and (${trust}::text is null or ${trust} in (t.id, t.name)) end
  order by is_for_us desc
  limit 2
`

interface Exchange {
  readonly trustId: string
  readonly admitted: Admitted
  /** That this very token was used: an id of the note, what it is called, and the seconds for which it is kept. */
  readonly use: { readonly id: string; readonly identifier: string; readonly seconds: number }
  readonly event: AuditEvent
}

/** `replayed`: the token was used before. `ended`: the rule, its machine or the membership ended meanwhile, or is banned. `sponsor`: nobody active is responsible for it. */
type ExchangeOutcome = Outcome<object, 'replayed' | 'ended' | 'sponsor'>

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
