import type postgres from 'postgres'
import { FullUser } from '../../shared/entities.ts'
import type { PageRequest } from '../request/paging.ts'
import { columnsOf, computedColumns, fieldsOf, nullableColumns } from './columns.ts'
import type { ReadSql, Sql } from './connect.ts'
import { contains } from './contains.ts'
import { oneOfMany } from './statement.ts'

/** How two values of a list are compared. */
export const operators = {
  eq: (sql: ReadSql) => sql`=`,
  ne: (sql: ReadSql) => sql`<>`,
  lt: (sql: ReadSql) => sql`<`,
  lte: (sql: ReadSql) => sql`<=`,
  gt: (sql: ReadSql) => sql`>`,
  gte: (sql: ReadSql) => sql`>=`,
} as const

export interface UserSearch {
  /** Any: the address or the name. */
  readonly field: 'email' | 'name' | 'any'
  readonly operator: 'contains' | 'starts_with' | 'ends_with'
  readonly value: string
}

interface OwnFieldFilter {
  readonly field: 'own'
  readonly name: string
  readonly operator: keyof typeof operators
  readonly value: postgres.JSONValue
}

export type UserFilter =
  | { readonly field: 'idEnding'; readonly value: string }
  | { readonly field: 'id' | 'email' | 'name'; readonly operator: keyof typeof operators; readonly value: string }
  | { readonly field: 'createdAt'; readonly operator: keyof typeof operators; readonly value: Date }
  | OwnFieldFilter
  | { readonly field: 'text'; readonly search: UserSearch }
  | { readonly field: 'ids' | 'emails' | 'roles'; readonly isAmong: boolean; readonly values: readonly string[] }
  | { readonly field: 'banned' | 'emailVerified' | 'isMachine'; readonly isEqual: boolean; readonly value: boolean }

export interface UserQuery {
  readonly search: UserSearch | null
  readonly filter: UserFilter | null
  readonly sort: { readonly field: 'id' | 'email' | 'name' | 'createdAt'; readonly isDescending: boolean }
  readonly page: PageRequest
}

/**
 * Lists a page of users and the total, in one statement. Indexes support `begins with`, `ends with`, `contains`, roles
 * and sorting. The total of a search or filter reads every user who matches.
 */
export async function listUsers(
  sql: ReadSql,
  query: UserQuery,
): Promise<{ users: readonly FullUser[]; total: number }> {
  const { limit, offset } = query.page
  const wanted = sql`${searchOf(sql, query.search)} and ${conditionOf(sql, query.filter)} and ${kindOf(sql, query.filter)}`
  const order = orderOf(sql, query)
  const chosen = sql`
    select ${columnsOf(sql, FullUser, 'u')} from users u where ${wanted} ${order} limit ${limit} offset ${offset}
  `
  const total = computedColumns<{ total: number }>(sql, { total: 'c.total' })
  const rows = await sql`
    with chosen as (${chosen}),
    counted as (${isEverybody(query) ? countPeople(sql) : sql`select count(*)::integer as total from users u where ${wanted}`})
    select ${nullableColumns(fieldsOf(sql, FullUser, 'u'))}, ${total} from counted c left join chosen u on true ${order}
  `
  return { users: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0 }
}

const isEverybody = ({ search, filter }: UserQuery) => search === null && filter === null

/** Triggers of the database note everybody who comes or goes. */
const countPeople = (sql: ReadSql) => sql`select coalesce(sum(change), 0)::integer as total from user_count_changes`

/** Adds up what was noted, at most so many rows. Concurrent processes add up different ones. */
export const sumUserCounts = (sql: Sql, most: number) => sql`
  with summed as (
    delete from user_count_changes
    where id = any(array(select id from user_count_changes order by id limit ${most} for update skip locked))
      and (select count(*) from (select from user_count_changes limit 2) few) > 1
    returning change
  )
  insert into user_count_changes (change) select sum(change) from summed having count(*) > 0
`

function searchOf(sql: ReadSql, search: UserSearch | null): postgres.Fragment {
  if (search === null) return sql`true`
  const { field, operator, value } = search
  if (field === 'any')
    return sql`(${searchOf(sql, { field: 'email', operator, value })} or ${searchOf(sql, { field: 'name', operator, value })})`
  if (operator === 'starts_with') return beginsWith(sql, inBytes(sql, field), value)
  const text = field === 'email' ? sql`u.email` : sql`lower(u.name)`
  if (operator === 'ends_with') return beginsWith(sql, sql`reverse(${text}) collate "C"`, reversed(value))
  return contains(sql, text, value)
}

/** The highest code point, after every other character. */
const highest = '\u{10ffff}'

/**
 * A prefix match in byte order, written as a range instead of a pattern so that the server's generic plan can use the
 * index too.
 */
const beginsWith = (sql: ReadSql, text: postgres.Fragment, value: string) =>
  sql`(${text} >= lower(${value}) and ${text} < lower(${value + highest}))`

const reversed = (value: string): string => Array.from(value).toReversed().join('')

/** Byte order, so that one index serves prefixes and sorting. Names are compared case-insensitively. */
const inBytes = (sql: ReadSql, field: 'email' | 'name') =>
  field === 'email' ? sql`u.email collate "C"` : sql`lower(u.name) collate "C"`

/** Conditions for the boolean fields of a user. */
const flags = {
  banned: (sql: ReadSql, is: boolean) => (is ? sql`u.banned` : sql`u.banned is not true`),
  isMachine: (sql: ReadSql, is: boolean) => (is ? sql`u.organization_id is not null` : sql`u.organization_id is null`),
  emailVerified: (sql: ReadSql, is: boolean) => (is ? sql`u.email_verified` : sql`not u.email_verified`),
}

function conditionOf(sql: ReadSql, filter: UserFilter | null): postgres.Fragment {
  if (filter === null) return sql`true`
  return oneOfMany(filter.field === 'own' ? ownFilterOf(sql, filter) : filterOf(sql, filter))
}

function filterOf(sql: ReadSql, filter: Exclude<UserFilter, OwnFieldFilter>): postgres.Fragment {
  if ('isAmong' in filter) return filter.isAmong ? isAmong(sql, filter) : sql`${isAmong(sql, filter)} is not true`
  switch (filter.field) {
    case 'text':
      return searchOf(sql, filter.search)
    case 'banned':
    case 'isMachine':
    case 'emailVerified':
      return flags[filter.field](sql, filter.isEqual === filter.value)
    case 'createdAt':
      return sql`u.created_at ${operators[filter.operator](sql)} ${filter.value}`
    case 'idEnding':
      return sql`(reverse(u.id) collate "C" >= ${reversed(filter.value)} and reverse(u.id) collate "C" < ${reversed(filter.value) + highest})`
    case 'id':
      return sql`u.id ${operators[filter.operator](sql)} ${filter.value}`
    default:
      return sql`${inBytes(sql, filter.field)} ${operators[filter.operator](sql)} lower(${filter.value})`
  }
}

/** An index serves equality. A user without the field is unequal to every value, and neither less nor greater. */
function ownFilterOf(sql: ReadSql, { name, operator, value }: OwnFieldFilter): postgres.Fragment {
  const isEqual = sql`u.fields <> '{}' and u.fields @> ${sql.json({ [name]: value })}::jsonb`
  if (operator === 'eq') return sql`(${isEqual})`
  if (operator === 'ne') return sql`not (${isEqual})`
  return sql`u.fields -> ${name}::text ${operators[operator](sql)} ${sql.json(value)}::jsonb`
}

/** Machines are listed only when the filter asks for them or names one. */
const kindOf = (sql: ReadSql, filter: UserFilter | null) =>
  ['isMachine', 'id', 'ids', 'idEnding'].includes(filter?.field ?? '') ? sql`true` : sql`u.organization_id is null`

/** A user without roles counts as `user`. Addresses are stored in lower case. */
function isAmong(sql: ReadSql, { field, values }: Extract<UserFilter, { readonly isAmong: boolean }>) {
  const list = sql`${field === 'emails' ? values.map((value) => value.toLowerCase()) : [...values]}::text[]`
  if (field === 'ids') return sql`(u.id = any(${list}))`
  if (field === 'emails') return sql`(${inBytes(sql, 'email')} = any(${list}))`
  return values.includes('user') ? sql`(u.roles && ${list} or u.roles is null)` : sql`(u.roles && ${list})`
}

/** Always a total order, so that no row appears on two pages or on none. */
function orderOf(sql: ReadSql, { sort: { field, isDescending } }: UserQuery): postgres.Fragment {
  const way = isDescending ? sql`desc` : sql`asc`
  if (field === 'id') return sql`order by u.id ${way}`
  if (field === 'email') return sql`order by ${inBytes(sql, field)} ${way}`
  return sql`order by ${field === 'name' ? inBytes(sql, field) : sql`u.created_at`} ${way}, u.id ${way}`
}
