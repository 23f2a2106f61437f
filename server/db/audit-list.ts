import type postgres from 'postgres'
import { AuditEvent, type AuditEventView } from '../../shared/audit.ts'
import type { AuditEventName } from '../../shared/audit-events.ts'
import { unseenEvents } from './audit-events.ts'
import { columnsOf, combineColumns, computedColumns, nullableColumns } from './columns.ts'
import type { Sql } from './connect.ts'
import { currentCopy } from './database-copies.ts'
import { isMember } from './organization-actors.ts'
import { oneOfMany } from './statement.ts'

/** The position after which a list of events continues. */
export interface AuditPosition {
  readonly createdAt: Date
  readonly id: string
}

/**
 * How far a reader has followed the trail of the database `copy`: everything visible to the snapshot `seen`. With a
 * `part`, the reader is on the way to the snapshot `until` and has everything up to `xid` and `id`.
 */
export interface AuditFollowMark {
  readonly copy: string
  readonly seen: string
  readonly part: { readonly until: string; readonly xid: string; readonly id: string } | null
}

/** Null: any. */
export interface AuditFilter {
  readonly events: readonly AuditEventName[] | null
  readonly userId: string | null
  /** Who acted, as themselves or by impersonation. */
  readonly actorId: string | null
  readonly organizationId: string | null
  readonly since: Date | null
  readonly until: Date | null
}

/**
 * What the reader may see: everything, the events that concern a user or were done as that user, or the events of one
 * organization. Only `all` sees everybody's addresses and networks. The reader of an organization is a member or, with
 * a null `userId`, the organization itself.
 */
export type AuditReader =
  | { readonly kind: 'all' }
  | { readonly kind: 'person'; readonly userId: string }
  | { readonly kind: 'organization'; readonly userId: string | null; readonly organizationId: string }

type OrganizationAuditReader = Extract<AuditReader, { kind: 'organization' }>

export interface AuditQuery {
  readonly reader: AuditReader
  readonly filter: AuditFilter
  readonly limit: number
}

export interface AuditPage {
  readonly events: readonly AuditEventView[]
  /** The transaction that wrote each event. */
  readonly xids: readonly string[]
  readonly isMore: boolean
  /** The snapshot in which the page was read. */
  readonly snapshot: string
  /** The database that answered. Null for a copy that has not noticed yet that it is one. */
  readonly copy: string | null
}

type Fragment = postgres.PendingQuery<postgres.Row[]>

/** Lists the newest events, or those before a position, newest first. */
export function listAuditEvents(sql: Sql, query: AuditQuery, before: AuditPosition | null): Promise<AuditPage> {
  const order = sql`order by e.created_at desc, e.id desc`
  const position = before ? sql`and (e.created_at, e.id) < (${before.createdAt}, ${before.id})` : sql``
  const matching = sql`${filterOf(sql, query)} ${position}`
  return readPage(sql, query, newestEvents(sql, query, { matching, order }), order)
}

/**
 * Lists the events since a mark, oldest first: exactly those that its snapshot did not see, however late their
 * transactions committed. Transaction ids belong to one server, so events restored from a dump are skipped.
 */
export function followAuditEvents(sql: Sql, query: AuditQuery, { seen, part }: AuditFollowMark): Promise<AuditPage> {
  const order = sql`order by e.xid, e.id`
  const position = part
    ? sql`and (e.xid, e.id) > (${part.xid}::xid8, ${part.id}) and pg_visible_in_snapshot(e.xid, ${part.until}::pg_snapshot)`
    : sql``
  const unseen = unseenEvents(
    sql,
    sql`${seen}::pg_snapshot`,
    (isUnseen) => sql`(
      select e.* from audit_events e
      where ${isUnseen} and (${join(sql, branchesOf(sql, query), sql`or`)}) ${filterOf(sql, query)} ${position}
      ${order} limit ${query.limit + 1}
    )`,
  )
  const page = sql`select e.* from (${unseen}) e ${order} limit ${query.limit + 1}`
  return readPage(sql, query, page, order)
}

/** Mutually exclusive conditions, each with its own index. */
function branchesOf(sql: Sql, { reader, filter: { actorId } }: AuditQuery): readonly Fragment[] {
  if (reader.kind === 'person') {
    const { userId } = reader
    return [sql`e.user_id = ${userId}`, sql`(e.actor_id = ${userId} and e.user_id is distinct from ${userId})`]
  }
  if (reader.kind === 'organization')
    return [sql`e.organization_id = ${reader.organizationId} and ${isReaderInside(sql, reader)}`]
  if (actorId === null) return [sql`true`]
  return [
    sql`e.actor_id = ${actorId}`,
    sql`(e.impersonator_id = ${actorId} and e.actor_id is distinct from ${actorId})`,
  ]
}

/** When the last of the combined equal events happened, within a minute of the first. */
const lastAt = (sql: Sql): Fragment => sql`coalesce(e.last_at, e.created_at)`

/** Conditions that apply to every branch. Begins with `and` unless empty. */
function filterOf(sql: Sql, { reader, filter }: AuditQuery): Fragment {
  const { events, userId, actorId, organizationId, since, until } = filter
  const isBranched = reader.kind === 'all'
  const conditions = [
    events && sql`and e.event = any(${events}::text[])`,
    userId !== null && sql`and e.user_id = ${userId}`,
    actorId !== null && !isBranched && sql`and (e.actor_id = ${actorId} or e.impersonator_id = ${actorId})`,
    organizationId !== null && sql`and e.organization_id = ${organizationId}`,
    since && sql`and e.created_at >= ${since}::timestamptz - interval '1 minute' and ${lastAt(sql)} >= ${since}`,
    until && sql`and e.created_at < ${until}`,
  ]
  const asked = conditions.filter((condition) => condition !== null && condition !== false)
  const joined = join(sql, asked, sql``)
  // Planning takes long, for there is a table of each month: what is often asked for is kept.
  return asked.length > 2 ? oneOfMany(joined) : joined
}

/** One index scan for each branch, or for each event name when only names are filtered. */
function newestEvents(
  sql: Sql,
  query: AuditQuery,
  { matching, order }: Record<'matching' | 'order', Fragment>,
): Fragment {
  const { events, userId, actorId, organizationId } = query.filter
  const limit = query.limit + 1
  if (query.reader.kind === 'all' && events && (userId ?? actorId ?? organizationId) === null)
    return sql`
      select e.* from unnest(${events}::text[]) as named (event)
      cross join lateral (
        select e.* from audit_events e where e.event = named.event ${matching} ${order} limit ${limit}
      ) e
      ${order}
      limit ${limit}
    `
  const pages = branchesOf(sql, query).map(
    (branch) => sql`(select e.* from audit_events e where ${branch} ${matching} ${order} limit ${limit})`,
  )
  return sql`select e.* from (${join(sql, pages, sql`union all`)}) e ${order} limit ${limit}`
}

const join = (sql: Sql, fragments: readonly Fragment[], between: Fragment): Fragment =>
  fragments.reduce((before, next, index) => (index === 0 ? next : sql`${before} ${between} ${next}`), sql``)

const PlainAuditEvent = AuditEvent.omit({ lastAt: true, details: true, ipAddress: true, userAgent: true })
type ReaderFields = Omit<AuditEventView, keyof typeof PlainAuditEvent.shape>

interface PageSnapshot {
  readonly xid: string | null
  readonly snapshot: string
  readonly copy: string
  readonly isOwn: boolean
}

/**
 * Reads the rows of a page with its people's addresses, together with the snapshot and the database copy they were read
 * from, in one statement.
 */
async function readPage(sql: Sql, { reader, limit }: AuditQuery, page: Fragment, order: Fragment): Promise<AuditPage> {
  const columns = combineColumns(sql, columnsOf(sql, PlainAuditEvent, 'e'), readerColumns(sql, reader))
  const seen = computedColumns<PageSnapshot>(sql, {
    xid: sql`e.xid::text`,
    snapshot: sql`pg_current_snapshot()::text`,
    copy: 'one.id',
    isOwn: 'one.isOwn',
  })
  const rows = await sql`
    with page as materialized (${page})
    select ${nullableColumns(columns)}, ${seen}
    from (${currentCopy(sql)}) one left join page e on true
    ${joinUser(sql, reader, 'actor', sql`e.actor_id`)}
    ${joinUser(sql, reader, 'impersonator', sql`e.impersonator_id`)}
    ${joinUser(sql, reader, 'concerned', sql`e.user_id`)}
    left join lateral (
      select user_id from erasures where user_id = coalesce(e.impersonator_id, e.actor_id, e.user_id) limit 1
    ) erased on true
    ${order}
  `
  const [first] = rows
  if (first === undefined) throw sql.distrust()
  const { snapshot, copy, isOwn } = first
  const found = rows.filter((row) => row.id !== null)
  const shown = found.slice(0, limit)
  const events = shown.map(({ xid: _xid, snapshot: _snapshot, copy: _copy, isOwn: _isOwn, ...event }) => event)
  if (!events.every((event) => belongsToReader(reader, event))) throw sql.distrust()
  const xids = shown.map(({ xid }) => xid ?? '')
  return { events, xids, isMore: found.length > limit, snapshot, copy: isOwn ? copy : null }
}

const readerColumns = (sql: Sql, reader: AuditReader) => {
  const isPlain = sql`(erased.user_id is null and ${canSeeOrigin(sql, reader)})`
  return computedColumns<ReaderFields>(sql, {
    actorEmail: 'actor.email',
    actorName: 'actor.name',
    impersonatorEmail: 'impersonator.email',
    userEmail: 'concerned.email',
    userName: 'concerned.name',
    keyName: keyName(sql, reader),
    targetName: targetName(sql, reader),
    lastAt: lastAt(sql),
    details: sql`case when erased.user_id is null then e.details else e.details - 'label' end`,
    ipAddress: sql`case when ${isPlain} then e.ip_address end`,
    userAgent: sql`case when ${isPlain} then e.user_agent end`,
  })
}

const belongsToReader = (reader: AuditReader, event: AuditEventView): boolean =>
  reader.kind === 'all' ||
  (reader.kind === 'person'
    ? event.userId === reader.userId || event.actorId === reader.userId
    : event.organizationId === reader.organizationId)

/** Joins a user of the event, if the reader may see who it is. */
const joinUser = (
  sql: Sql,
  reader: AuditReader,
  role: 'actor' | 'impersonator' | 'concerned',
  id: Fragment,
): Fragment => sql`
  left join lateral (
    select u.email, u.name from users u where u.id = ${id} and ${canSeeAddress(sql, reader)}
  ) ${sql(role)} on true
`

/** Whether the reader may see the address of user `u`: their own, and that of current members of their organization. */
const canSeeAddress = (sql: Sql, reader: AuditReader): Fragment =>
  reader.kind === 'all'
    ? sql`true`
    : sql`(
        u.id = ${reader.userId} or ${isInside(sql, reader)} and exists (
          select from members m where m.organization_id = e.organization_id and m.user_id = u.id
        )
      )`

/** The name of the key or trust rule that acted. */
const keyName = (sql: Sql, reader: AuditReader): Fragment => sql`case when e.key_id is not null then coalesce(
  ${machineKeyName(sql, reader, sql`e.key_id`)}, ${inside(sql, reader, 'trust_rules', sql`e.key_id`)}
) end`

const targetName = (sql: Sql, reader: AuditReader): Fragment => sql`case when e.target is not null then coalesce(
  ${machineKeyName(sql, reader, sql`e.target`)}, ${inside(sql, reader, 'trust_rules', sql`e.target`)},
  ${inside(sql, reader, 'teams', sql`e.target`)}
) end`

const isReaderInside = (sql: Sql, { organizationId, userId }: OrganizationAuditReader): Fragment =>
  userId === null ? sql`true` : isMember(sql, { organizationId, userId })

/** A person's own key has its name for that person only, also where it acted in an organization. */
const machineKeyName = (sql: Sql, reader: AuditReader, id: Fragment): Fragment => sql`
  (select k.name from machine_keys k where k.id = ${id} and ${
    reader.kind === 'all'
      ? sql`true`
      : sql`(k.user_id = ${reader.userId} or k.organization_id = e.organization_id and ${isInside(sql, reader)})`
  })
`

/** A name that current members of the event's organization see. */
const inside = (sql: Sql, reader: AuditReader, table: 'trust_rules' | 'teams', id: Fragment): Fragment =>
  sql`(select t.name from ${sql(table)} t where t.id = ${id} and ${isInside(sql, reader)})`

const isInside = (sql: Sql, reader: AuditReader): Fragment =>
  reader.kind === 'all' || reader.userId === null
    ? sql`true`
    : sql`exists (select from members m where m.organization_id = e.organization_id and m.user_id = ${reader.userId})`

/** Readers never see where another person is, but they do see where a stranger tried to sign in as them. */
function canSeeOrigin(sql: Sql, reader: AuditReader): Fragment {
  if (reader.kind === 'all') return sql`true`
  const isOwn = sql`(e.actor_id = ${reader.userId} and e.impersonator_id is null)`
  return reader.kind === 'person'
    ? sql`(${isOwn} or (e.actor_id is null and not e.is_server))`
    : sql`(${isOwn} or e.key_id is not null and not ${isPerson(sql)})`
}

/** Whether a person acted, in a session or with their own key. */
const isPerson = (sql: Sql): Fragment =>
  sql`exists (select from users p where p.id = e.actor_id and p.organization_id is null)`
