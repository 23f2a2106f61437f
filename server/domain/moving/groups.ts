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

/** The first of each id, then the second of each, until none is left. */
function distinct(rows: readonly GivenRow[]): readonly (readonly GivenRow[])[] {
  const counts = new Map<string, number>()
  const rounds: GivenRow[][] = []
  for (const row of rows) {
    const round = counts.get(row.id) ?? 0
    counts.set(row.id, round + 1)
    rounds[round] ??= []
    rounds[round].push(row)
  }
  return rounds
}
