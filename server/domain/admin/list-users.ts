import type { listUsers as ListCall } from '../../../shared/contract/admin.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { userFilterFields } from '../../../shared/entities.ts'
import { expectations } from '../../../shared/input-problem.ts'
import { readList } from '../../db/lists.ts'
import { listUsers as list, type UserFilter, type UserQuery, type UserSearch } from '../../db/user-list.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import { filterDate, invalidFilter } from '../../request/filters.ts'
import type { Freshness } from '../../request/freshness.ts'
import { nextOffset, type PartOf, readPageRequest } from '../../request/paging.ts'
import { type OwnFieldRules, valueOf } from '../../settings/own-fields.ts'
import { requirePlatformPermission } from './permission.ts'

/** Users per page. */
const maxUsers = 100

type ListUsersInput = Input<typeof ListCall>
type Field = (typeof userFilterFields)[number]
type Operator = NonNullable<ListUsersInput['filterOperator']>
type Comparison = Exclude<Operator, UserSearch['operator'] | 'in' | 'not_in'>

/** An outage is reported as such, never as an empty list. */
export async function listUsers(
  deps: Deps,
  caller: Caller,
  ask: ListUsersInput,
  freshness: Freshness,
): Promise<PartOf<Output<typeof ListCall>>> {
  requirePlatformPermission(deps, caller, 'user:list', 'USER_LIST_FORBIDDEN')
  const query = queryOf(deps.config.ownFields.user, ask)
  const { page } = query
  const { users, total } = await readList(deps, freshness, (sql) => list(sql, query))
  const asked = {
    ...(ask.limit === undefined ? {} : { limit: page.limit }),
    ...(ask.offset === undefined ? {} : { offset: page.offset }),
  }
  return { answer: { users: [...users], total, ...asked }, next: nextOffset(page, users.length, total) }
}

const queryOf = (own: OwnFieldRules, ask: ListUsersInput): UserQuery => ({
  search: ask.searchValue
    ? {
        field: ask.searchField ?? 'email',
        operator: ask.searchOperator ?? 'contains',
        value: ask.searchValue,
      }
    : null,
  filter: ask.filterValue === undefined ? noFilter(ask) : filterOf(own, ask, ask.filterValue),
  sort: { field: ask.sortBy ?? 'createdAt', isDescending: ask.sortDirection === 'desc' },
  page: readPageRequest(ask, maxUsers),
})

/** A client sends no parameter for an empty list. To find everybody by it would be dangerous. */
function noFilter({ filterOperator }: ListUsersInput): null {
  if (filterOperator !== 'in' && filterOperator !== 'not_in') return null
  throw invalidFilter('filterValue', `at least one value for ${filterOperator}`)
}

function filterOf(
  own: OwnFieldRules,
  { filterField = 'email', filterOperator = 'eq' }: ListUsersInput,
  value: string,
): UserFilter {
  switch (filterOperator) {
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      return partOf(filterField, filterOperator, value)
    case 'in':
    case 'not_in':
      return amongOf(filterField, filterOperator === 'in', value)
  }
  if (isOurs(filterField)) return comparisonOf(filterField, filterOperator, value)
  return ownComparisonOf(own, filterField, filterOperator, value)
}

const isOurs = (name: string): name is Field => userFilterFields.some((field) => field === name)

/** Only by fields that answers have: a filter would tell the others, too. */
function ownComparisonOf(own: OwnFieldRules, name: string, operator: Comparison, text: string): UserFilter {
  const field = own.answered.includes(name) ? own.fields[name] : undefined
  if (!field) throw invalidFilter('filterField', `one of ${[...userFilterFields, ...own.answered].join(', ')}`)
  const isOrdered = field.kind !== 'flag' && !Array.isArray(field.kind)
  if (!isOrdered && operator !== 'eq' && operator !== 'ne')
    throw invalidFilter('filterOperator', `eq or ne for ${name}`)
  const { data, error } = valueOf(field.kind).safeParse(text, expectations)
  if (error) throw invalidFilter('filterValue', error.issues[0]?.message ?? 'another value')
  return { field: 'own', name, operator, value: data as string | number | boolean }
}

function comparisonOf(field: Field, operator: Comparison, value: string): UserFilter {
  if (field === 'id' || field === 'email' || field === 'name') return { field, operator, value }
  if (field === 'createdAt') return { field, operator, value: filterDate(value) }
  // Roles and booleans have no order.
  if (operator !== 'eq' && operator !== 'ne') throw invalidFilter('filterOperator', `eq or ne for ${field}`)
  const isEqual = operator === 'eq'
  return field === 'role'
    ? { field: 'roles', isAmong: isEqual, values: [value] }
    : { field, isEqual, value: flagIn(value) }
}

/** People may identify an id by its ending. */
function partOf(field: string, operator: UserSearch['operator'], value: string): UserFilter {
  if (field === 'email' || field === 'name') return { field: 'text', search: { field, operator, value } }
  if (field === 'id' && operator === 'ends_with') return { field: 'idEnding', value }
  const fields = operator === 'ends_with' ? 'id, email and name' : 'email and name'
  throw invalidFilter('filterOperator', `another operator for ${field}: ${operator} is for ${fields}`)
}

const listsOf = { id: 'ids', email: 'emails', role: 'roles' } as const

function amongOf(field: string, isAmong: boolean, value: string): UserFilter {
  if (field !== 'id' && field !== 'email' && field !== 'role')
    throw invalidFilter('filterOperator', `another operator for ${field}: in and not_in are for id, email and role`)
  return { field: listsOf[field], isAmong, values: value.split(',') }
}

function flagIn(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw invalidFilter('filterValue', 'true or false')
  return text === 'true'
}
