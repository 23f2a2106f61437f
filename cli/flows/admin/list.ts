import type { listUsers } from '../../../shared/contract/admin.ts'
import type { Input } from '../../../shared/contract/call.ts'
import type { FullUser } from '../../../shared/entities.ts'
import { usageError } from '../../output/cli-error.ts'
import type { GivenValues } from '../command-line.ts'
import { flagOf, type ValuesOf } from '../field.ts'
import type { FlowContext } from '../flow-context.ts'
import type { Listing, ListPart } from '../listing.ts'
import { allPagesField, limitField, offsetField } from '../page-fields.ts'
import { type Paged, pageSize } from '../paged.ts'
import { type ListedUser, listedUserFields, toListedUser, userColumns } from './users.ts'

type Query = Input<typeof listUsers>

const comparisons = { '=': 'eq', '!=': 'ne', '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' } as const

/** The field, the comparison and the value of a condition. */
const condition = /^(\w+)(!=|<=|>=|=|<|>)(.+)$/s

const conditionProblem = (text: string, name: string): string | undefined =>
  condition.test(text) ? undefined : `${name} is a condition, like plan=pro or seats>=10`

function conditionIn(text: string): Query {
  const [, filterField = '', sign = '', filterValue = ''] = condition.exec(text) ?? []
  return { filterField, filterOperator: comparisons[sign as keyof typeof comparisons], filterValue }
}

const fields = {
  search: {
    kind: 'text',
    label: 'Search',
    flag: '--search <text>',
    summary: 'only users whose address (or what --field names) has this text',
    isOptional: true,
  },
  field: {
    kind: 'choice',
    label: 'In',
    flag: '--field <field>',
    summary: 'the field that --search looks at, any for address and name (email)',
    values: ['email', 'name', 'any'],
    isOptional: true,
  },
  match: {
    kind: 'choice',
    label: 'Match',
    flag: '--match <how>',
    summary: 'how --search matches (contains)',
    values: ['contains', 'starts', 'ends'],
    isOptional: true,
  },
  role: {
    kind: 'text',
    label: 'Role',
    flag: '--role <role>',
    summary: 'only those with that platform role',
    isOptional: true,
  },
  where: {
    kind: 'text',
    label: 'Where',
    flag: '--where <condition>',
    summary: 'only those with such a field, like plan=pro, plan!=pro or seats>=10',
    isOptional: true,
    check: conditionProblem,
  },
  banned: { kind: 'toggle', label: 'Banned', flag: '--banned', summary: 'only those who are banned' },
  sort: {
    kind: 'choice',
    label: 'Sort',
    flag: '--sort <column>',
    summary: 'the column to sort by; -column sorts in descending order',
    values: ['id', 'email', 'name', 'createdAt', '-id', '-email', '-name', '-createdAt'],
    isOptional: true,
  },
  desc: { kind: 'toggle', label: 'Backwards', flag: '--desc', summary: 'in descending order' },
  limit: limitField,
  offset: offsetField,
  allPages: allPagesField,
} as const

type Values = ValuesOf<typeof fields>

export const userList: Listing<ListedUser, typeof fields> = {
  command: 'admin user list',
  summary: 'The users of the service; needs a platform role',
  fields,
  call: '/admin/list-users',
  answer: listedUserFields,
  columns: userColumns,
  empty: ({ search, role, where, banned }) => (search || role || where || banned ? 'No such users' : 'No users'),
  examples: ['', '--search ann --field name --match starts', '--banned --json=email,banReason', '--all-pages --ndjson'],
  list: async (context, values) => {
    const query = queryOf(values)
    const offset = Number(values.offset ?? 0)
    const first = await page(context, query, { limit: values.limit, offset })
    const users = [...first.users]
    while (values.allPages && offset + users.length < first.total) {
      const { users: more } = await page(context, query, { limit: values.limit, offset: offset + users.length })
      if (more.length === 0) break
      users.push(...more)
    }
    return partOf(users.map(toListedUser), first.total, offset + users.length)
  },
}

interface PageOf {
  readonly limit: string | undefined
  readonly offset: number
}

async function page(context: Pick<FlowContext, 'signedIn'>, query: Query, { limit = '100', offset }: PageOf) {
  const { api } = await context.signedIn()
  return api.admin.listUsers({ ...query, limit, offset: String(offset) })
}

const partOf = <T>(items: readonly T[], total: number, end: number): ListPart<T> => ({
  items,
  total,
  next: end < total && items.length > 0 ? { value: String(end), flags: ['--offset', String(end)] } : null,
})

const operators = { contains: 'contains', starts: 'starts_with', ends: 'ends_with' } as const

const queryOf = (values: Values): Query => ({
  ...searchOf(values),
  ...filterOf(values),
  ...(values.sort !== undefined && { sortBy: values.sort.replace(/^-/, '') as NonNullable<Query['sortBy']> }),
  ...((values.desc || values.sort?.startsWith('-')) && ({ sortDirection: 'desc' } as const)),
})

function searchOf({ search, field = 'email', match = 'contains' }: Values): Query {
  if (search === undefined) return {}
  return {
    searchValue: search,
    searchField: field as 'email' | 'name' | 'any',
    searchOperator: operators[match as keyof typeof operators],
  }
}

/** The service accepts only one of them. */
const filtersIn = (values: GivenValues) =>
  (['role', 'where', 'banned'] as const).filter((name) => values[name] !== undefined && values[name] !== false)

function filterOf({ role, where, banned }: Values): Query {
  const [one, other] = filtersIn({ role, where, banned }).map((name) => flagOf(fields[name]))
  if (one && other) throw usageError(`${one} and ${other} cannot be combined`, 'Leave one of them out', [one, other])
  if (where !== undefined) return conditionIn(where)
  if (role !== undefined) return { filterField: 'role', filterValue: role }
  return banned ? { filterField: 'banned', filterValue: 'true' } : {}
}

/** The users for screens: the newest first, narrowed by a text in the address or name, a role, or a ban. */
export const pagedUsers: Paged<FullUser> = {
  listing: userList,
  terms: ['role', 'banned'],
  textValues: (search) => ({ search, field: 'any' }),
  conflict: (values) => {
    const [one, other] = filtersIn(values)
    return other && `${one} and ${other} cannot be combined: leave one of them out`
  },
  given: { sort: '-createdAt' },
  ask: async (context, values) => {
    const query = queryOf({ sort: '-createdAt', ...values } as Values)
    return async ({ offset }): Promise<ListPart<FullUser>> => {
      const { users, total } = await page(context, query, { limit: String(pageSize), offset })
      return partOf(users, total, offset + users.length)
    }
  },
}
