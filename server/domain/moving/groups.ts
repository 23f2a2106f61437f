import { type RecordType, recordTypes } from '../../../shared/moving/records.ts'
import type { GivenRow } from '../../db/moving/insert-rows.ts'
import type { PreparedRecord } from './prepare-record.ts'

interface Group {
  readonly type: RecordType
  readonly rows: readonly GivenRow[]
}

/**
 * Rows of one type with different ids, in the order in which they refer to each other. Machine users belong to an
 * organization, so they follow them.
 */
export function groupsOf(records: readonly PreparedRecord[]): readonly Group[] {
  const isMachine = ({ row }: PreparedRecord) => typeof row.values['organization_id'] === 'string'
  const ofType = (type: RecordType) => records.filter((record) => record.type === type)
  const users = ofType('user')
  const [, account, organization, ...others] = recordTypes
  const people = { type: 'user' as const, records: users.filter((user) => !isMachine(user)) }
  const machines = { type: 'user' as const, records: users.filter(isMachine) }
  const rest = (types: readonly RecordType[]) => types.map((type) => ({ type, records: ofType(type) }))
  return [people, ...rest([account, organization]), machines, ...rest(others)].flatMap(({ type, records: some }) =>
    distinct(some.map(({ row }) => row)).map((rows) => ({ type, rows })),
  )
}

/** The first of each id, then the others, until none is left. */
function distinct(rows: readonly GivenRow[]): readonly (readonly GivenRow[])[] {
  if (rows.length === 0) return []
  const ids = new Set<string>()
  const isFirst = rows.map(({ id }) => !ids.has(id) && ids.add(id) !== undefined)
  return [rows.filter((_, index) => isFirst[index]), ...distinct(rows.filter((_, index) => !isFirst[index]))]
}
