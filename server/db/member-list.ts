import type postgres from 'postgres'
import { Member } from '../../shared/organization.ts'
import type { PageRequest } from '../request/paging.ts'
import { columnsOf, computedColumns, fieldsOf, nullableColumns } from './columns.ts'
import type { ReadSql } from './connect.ts'
import { contains } from './contains.ts'
import { memberViewColumns, memberViewOf } from './members.ts'
import { isMember, type OrganizationReader } from './organization-actors.ts'
import { oneOfMany } from './statement.ts'
import { operators } from './user-list.ts'

export type MemberFilter =
  | { readonly field: 'id' | 'userId' | 'role'; readonly isAmong: boolean; readonly values: readonly string[] }
  | { readonly field: 'createdAt'; readonly operator: keyof typeof operators; readonly value: Date }
  | LastSeenFilter

interface LastSeenFilter {
  readonly field: 'lastSeenAt'
  readonly operator: 'lt' | 'lte'
  readonly value: Date
}

/** Which members to list. Null: all. */
interface MemberQuery {
  readonly search: string | null
  readonly role: string | null
  readonly filter: MemberFilter | null
  readonly sort: { readonly field: 'id' | 'userId' | 'role' | 'createdAt'; readonly isDescending: boolean }
}

/** Lists a page of members with the total. */
export async function listMembers(
  sql: ReadSql,
  reader: OrganizationReader,
  { limit, offset, ...query }: PageRequest & MemberQuery,
) {
  const wanted = sql`
    organization_id = ${reader.organizationId} and ${isMember(sql, reader)} and ${matches(sql, query)}
  `
  const chosen = sql`
    select ${columnsOf(sql, Member)} from members
    where ${wanted}
    ${orderOf(sql, query, sql``)}
    limit ${limit} offset ${offset}
  `
  const total = computedColumns<{ total: number }>(sql, { total: 'c.total' })
  const rows = await sql`
    with chosen as (${chosen}),
    counted as (select count(*)::integer as total from members where ${wanted})
    select ${nullableColumns(memberViewColumns(sql, fieldsOf(sql, Member, 'm')))}, ${total}
    from counted c
    left join chosen m on true
    left join users u on u.id = m.user_id
    ${orderOf(sql, query, sql`m.`)}
  `
  const members = rows.filter((row) => row.id !== null).map(memberViewOf)
  return { members, total: rows[0]?.total ?? 0 }
}

const matches = (sql: ReadSql, { search, role, filter }: MemberQuery): postgres.Fragment => sql`
  ${role === null ? sql`true` : sql`roles @> array[${role}]`} and ${search === null ? sql`true` : hasText(sql, search)}
    and ${filter === null ? sql`true` : oneOfMany(isWanted(sql, filter))}
`

const columns = {
  id: (sql: ReadSql) => sql`id`,
  userId: (sql: ReadSql) => sql`user_id`,
  role: (sql: ReadSql) => sql`roles`,
  createdAt: (sql: ReadSql) => sql`created_at`,
} as const

function isWanted(sql: ReadSql, filter: MemberFilter): postgres.Fragment {
  if (filter.field === 'lastSeenAt') return isUnseen(sql, filter)
  const column = columns[filter.field](sql)
  if (filter.field === 'createdAt') return sql`${column} ${operators[filter.operator](sql)} ${filter.value}`
  const values = sql`${[...filter.values]}::text[]`
  const isAmong = filter.field === 'role' ? sql`${column} && ${values}` : sql`${column} = any(${values})`
  return filter.isAmong ? isAmong : sql`not (${isAmong})`
}

/**
 * People who joined before that time and left no trace since: nothing that they did themselves, and no session that was
 * renewed. Equal events share the row of the first for a minute. Subqueries that yield a value, because `not exists`
 * might be planned as a scan of all sessions and events.
 */
function isUnseen(sql: ReadSql, { operator, value }: LastSeenFilter): postgres.Fragment {
  const isBefore = (time: postgres.Fragment) => sql`${time} ${operators[operator](sql)} ${value}`
  return sql`
    ${isBefore(sql`created_at`)}
    and (select u.organization_id is null from users u where u.id = members.user_id)
    and (
      select true from sessions s
      where s.user_id = members.user_id and s.impersonated_by is null and not ${isBefore(sql`s.updated_at`)} limit 1
    ) is null
    and (
      select true from audit_events e
      where e.actor_id = members.user_id and e.impersonator_id is null and e.key_id is null
        and e.created_at >= ${value}::timestamptz - interval '1 minute'
        and not ${isBefore(sql`coalesce(e.last_at, e.created_at)`)} limit 1
    ) is null
  `
}

/** Always a total order, so that no row appears on two pages or on none. */
function orderOf(sql: ReadSql, { sort: { field, isDescending } }: MemberQuery, table: postgres.Fragment) {
  const way = isDescending ? sql`desc` : sql`asc`
  // The rows to sort name their roles as the answer does.
  const column = field === 'role' ? sql`"role"` : columns[field](sql)
  return sql`order by ${table}${column} ${way}, ${table}id ${way}`
}

/**
 * A subquery for each member: a join might be planned as a scan of all users. The address of a machine is not searched,
 * because nobody reads it.
 */
const hasText = (sql: ReadSql, text: string) => sql`(
  select ${contains(sql, sql`lower(u.name)`, text)} or u.organization_id is null and ${contains(sql, sql`u.email`, text)}
  from users u where u.id = members.user_id
)`
