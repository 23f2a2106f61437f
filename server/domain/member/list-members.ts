import type { Input, Output } from '../../../shared/contract/call.ts'
import type { listMembers as Call } from '../../../shared/contract/member.ts'
import { Failure } from '../../../shared/failure.ts'
import { listMembers as list, type MemberFilter } from '../../db/member-list.ts'
import { findOrganizationId } from '../../db/organizations.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import { filterDate, invalidFilter } from '../../request/filters.ts'
import type { Freshness } from '../../request/freshness.ts'
import { memberLimitFor, nextOffset, type PartOf, readPageRequest } from '../../request/paging.ts'
import { listAsMember, requirePermission } from '../organization/roles.ts'

type ListInput = Input<typeof Call>

const failures = { none: 'NO_ACTIVE_ORGANIZATION', outsider: 'NOT_A_MEMBER_FORBIDDEN' } as const

export async function listMembers(
  deps: Deps,
  caller: Caller,
  asked: ListInput,
  freshness: Freshness,
): Promise<PartOf<Output<typeof Call>>> {
  const page = readPageRequest(asked, memberLimitFor(deps.config.MEMBERSHIP_LIMIT))
  const wanted = { ...page, ...queryOf(asked) }
  const named = await organizationNamed(deps, asked)
  const { actor, found } = await listAsMember(deps, caller, { ...failures, named, freshness }, (sql, reader) =>
    list(sql, reader, wanted),
  )
  if (wanted.filter?.field === 'lastSeenAt')
    requirePermission(deps.config, actor, 'member:delete', 'LAST_SEEN_FORBIDDEN')
  return { answer: found, next: nextOffset(page, found.members.length, found.total) }
}

/** A slug wins over an id. An unknown one is answered as somebody else's organization is. */
async function organizationNamed({ sql }: Deps, { organizationId, organizationSlug }: ListInput) {
  if (!organizationSlug) return organizationId
  const id = await findOrganizationId(sql, organizationSlug.toLowerCase())
  if (id === null) throw new Failure(failures.outsider)
  return id
}

const queryOf = ({ search, role, sortBy, sortDirection, ...asked }: ListInput) => ({
  search: search || null,
  role: role || null,
  sort: { field: sortBy ?? 'createdAt', isDescending: sortDirection === 'desc' },
  filter: asked.filterField === undefined ? null : filterOf(asked.filterField, asked),
})

function filterOf(
  field: NonNullable<ListInput['filterField']>,
  { filterOperator: operator = 'eq', filterValue: value = '' }: ListInput,
): MemberFilter {
  if (field === 'createdAt') return { field, operator: comparisonOf(operator), value: filterDate(value) }
  if (field === 'lastSeenAt') return { field, operator: boundOf(operator), value: filterDate(value) }
  const isAmong = membership[operator]
  if (isAmong === undefined || (operator === 'contains' && field !== 'role'))
    throw invalidFilter('filterOperator', `eq, ne, in${field === 'role' ? ', contains' : ''} or not_in for ${field}`)
  return { field, isAmong, values: isOfOne(operator) ? [value] : value.split(',') }
}

type Operator = NonNullable<ListInput['filterOperator']>

/** Operators that ask whether a value is among others. */
const membership: Readonly<Partial<Record<Operator, boolean>>> = {
  eq: true,
  in: true,
  contains: true,
  ne: false,
  not_in: false,
}

const isOfOne = (operator: Operator): boolean => operator !== 'in' && operator !== 'not_in'

function comparisonOf(operator: Operator) {
  if (operator === 'in' || operator === 'not_in' || operator === 'contains')
    throw invalidFilter('filterOperator', 'eq, ne, lt, lte, gt or gte for createdAt')
  return operator
}

function boundOf(operator: Operator) {
  if (operator !== 'lt' && operator !== 'lte') throw invalidFilter('filterOperator', 'lt or lte for lastSeenAt')
  return operator
}
