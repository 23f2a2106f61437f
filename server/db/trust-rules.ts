import { TrustRule } from '../../shared/machine-key.ts'
import type { AdmittedSession } from '../request/admission.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { type PageOf, type PageRequest, toPage } from '../request/paging.ts'
import type { SignInMethodCapability } from '../request/sign-in-method-capability.ts'
import { insertAuditEvent } from './audit-events.ts'
import { findRow, getRow, oneOrNone } from './checked-row.ts'
import { combineColumns, computedColumns, databaseDefault, newRow } from './columns.ts'
import type { ReadSql, Sql } from './connect.ts'
import { insertMachine, type NewMachine } from './machine-users.ts'
import {
  isMember,
  isSponsored,
  type OrganizationReader,
  type Sponsorship,
  sponsorColumns,
} from './organization-actors.ts'
import { isAdmissible, startSession } from './session-start.ts'
import type { Outcome } from './transaction.ts'

/** A rule before its remaining authority is computed. */
export type StoredRule = Omit<TrustRule, 'authority'> & Sponsorship

/** The part of a rule that its own row stores. Its roles are those of its membership. */
const RuleRow = TrustRule.omit({ role: true, sponsorId: true, sponsorName: true, authority: true })

/** The columns of a rule `t`, with its machine `u` and membership `m`. */
const ruleColumns = (sql: ReadSql) => combineColumns(sql, ownColumns(sql), sponsorColumns(sql))

const ownColumns = (sql: ReadSql) =>
  computedColumns<Omit<StoredRule, keyof Sponsorship>>(sql, {
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

const rulesAndRoles = (sql: ReadSql) => sql`
  trust_rules t
  join users u on u.id = t.user_id
  join members m on m.organization_id = t.organization_id and m.user_id = t.user_id
`

/** A subquery for the organization of a rule. */
export const organizationOfRule = (sql: Sql, id: string) =>
  sql`(select organization_id from trust_rules where id = ${id})`

export const findRule = (sql: Sql, id: string): Promise<StoredRule | null> =>
  oneOrNone(sql`select ${ruleColumns(sql)} from ${rulesAndRoles(sql)} where t.id = ${id}`)

/** Lists an organization's rules, newest first. */
export async function listRules(
  sql: ReadSql,
  reader: OrganizationReader,
  page: PageRequest,
): Promise<PageOf<StoredRule>> {
  const rows = await sql`
    select ${ruleColumns(sql)} from ${rulesAndRoles(sql)}
    where t.organization_id = ${reader.organizationId} and ${isMember(sql, reader)}
    order by t.created_at desc, t.id desc
    limit ${page.limit + 1} offset ${page.offset}
  `
  return toPage(rows, page)
}

export interface NewRule extends Pick<TrustRule, 'id' | 'name' | 'issuer' | 'audience' | 'claims' | 'rotates'> {
  readonly createdBy: SignInMethodCapability
  /** The claim by which the rule is looked up. */
  readonly pin: string
  /** Lifetime of its sessions, in seconds. */
  readonly seconds: number
  /** The maximum number of rules of the organization. */
  readonly limit: number
}

/**
 * Creates a rule for an organization, which the caller has locked, and the machine user that it signs in. False when
 * the organization has the maximum number of rules.
 */
export async function createRule(
  tx: Sql,
  rule: NewRule,
  machine: NewMachine,
  event: PendingAuditEvent,
): Promise<boolean> {
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
          createdAt: databaseDefault,
          lastUsedAt: databaseDefault,
        },
        { pin: rule.pin },
      )}
      from machine
      returning id
    ),
    audited as (${insertAuditEvent(tx, event, tx`select from rule`)})
  `
  return (await findRow(tx, rule.id, tx`select id from rule`, steps)) !== null
}

/**
 * Whether a session by this rule may rotate a key `k`: a key that the rule names, or, when it names none, a key that is
 * not older than the rule.
 */
export const isRotatableByRule = (sql: Sql, trustId: string) => sql`coalesce((
  select case when t.rotates is null then k.created_at >= t.created_at else k.id = any(t.rotates) end
  from trust_rules t where t.id = ${trustId}
), false)`

/** `organization`: id or slug. `trust`: id or name of one of its rules; without an organization only an id. */
export interface NamedRules {
  readonly organization: string | null
  readonly trust: string | null
}

/** The facts of a verified token by which its trust rules are found, and the rules that the request names. */
export interface RuleQuery extends NamedRules {
  readonly issuer: string
  readonly audience: string
  readonly claims: Readonly<Record<string, string>>
  /** Each claim in the form by which rules are looked up. */
  readonly pins: readonly string[]
}

export interface MatchingRule extends Pick<TrustRule, 'id' | 'userId' | 'organizationId' | 'expiresIn'> {
  /** Whether the token's audience is the one that the rule names. */
  readonly isForUs: boolean
}

/** Ids take precedence over slugs, since anybody can choose a slug that equals another organization's id. */
const organizationByIdOrSlug = (sql: Sql, word: string | null) => sql`coalesce(
  (select id from organizations where id = ${word}),
  (select id from organizations where slug = lower(${word}))
)`

/**
 * Finds the named rules whose claims the token satisfies, first those whose audience matches. At most two, which shows
 * that several match.
 */
export const findMatchingRules = (sql: Sql, { issuer, audience, claims, pins, ...named }: RuleQuery) => sql<
  MatchingRule[]
>`
  select t.id, t.user_id, t.organization_id, t.expires_in, t.audience = ${audience} as is_for_us
  from trust_rules t
  where t.issuer = ${issuer} and t.pin = any(${pins as string[]}) and ${sql.json(claims)}::jsonb @> t.claims
    and ${isNamed(sql, named)}
  order by is_for_us desc
  limit 2
`

/** The named rules for an issuer, whatever else they ask for. At most two, which shows that there are several. */
export const findRulesOfIssuer = (sql: Sql, issuer: string, named: NamedRules) => sql<Omit<MatchingRule, 'isForUs'>[]>`
  select t.id, t.user_id, t.organization_id from trust_rules t
  where ${isNamed(sql, named)} and t.issuer = ${issuer}
  limit 2
`

/** Whether the request names rule `t`. By one index each, so that nobody makes us read the rules of a whole issuer. */
const isNamed = (sql: Sql, { organization, trust }: NamedRules) =>
  organization === null
    ? sql`t.id = ${trust}`
    : sql`t.organization_id = ${organizationByIdOrSlug(sql, organization)}
        and (${trust}::text is null or ${trust} in (t.id, t.name))`

interface TokenExchange {
  readonly trustId: string
  readonly admitted: AdmittedSession
  /** The record that this token was used: its id, its identifier, and the seconds for which it is kept. */
  readonly use: { readonly id: string; readonly identifier: string; readonly seconds: number }
  readonly event: PendingAuditEvent
}

/**
 * `replayed`: the token was used before. `ended`: the rule, its machine or the membership ended meanwhile, or the
 * machine is banned. `sponsor`: no active member is responsible for it.
 */
type ExchangeOutcome = Outcome<object, 'replayed' | 'ended' | 'sponsor'>

/**
 * Consumes a token and starts its session in one statement. A token that is refused for want of a sponsor is not
 * consumed: the job may try again once there is one. The session is not a remembered one, so nothing extends it.
 * Its organization is active from the start.
 */
export async function startExchangedSession(sql: Sql, exchanged: TokenExchange): Promise<ExchangeOutcome> {
  const { trustId, admitted, use, event } = exchanged
  const machine = sql`
    select id, organization_id, null::text as account_id, null::text as proven_email from allowed
    where exists (select from noted)
  `
  const steps = sql`
    allowed as (
      select u.id, t.organization_id, ${isSponsored(sql)} as is_sponsored from trust_rules t
      join users u on u.id = t.user_id and ${isAdmissible(sql, admitted)}
      join members m on m.organization_id = t.organization_id and m.user_id = u.id
      where t.id = ${trustId}
      for key share of u, m
    ), noted as (
      insert into verifications (id, identifier, value, expires_at)
      select ${use.id}, ${use.identifier}, '', now() + make_interval(secs => ${use.seconds})
      from allowed where is_sponsored
      on conflict (identifier) do nothing
      returning id
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
    select (select is_sponsored from allowed), exists (select from started) as is_started
  `
  type Row = { isSponsored: boolean | null; isStarted: boolean }
  const row = await getRow<Row>(sql, admitted.session.tokenHash, found, steps)
  if (row.isStarted) return { outcome: 'done' }
  if (row.isSponsored === null) return { outcome: 'ended' }
  return { outcome: row.isSponsored ? 'replayed' : 'sponsor' }
}
