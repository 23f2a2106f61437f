import type { RecordType } from '../../../shared/moving/records.ts'
import type { Driver } from '../connect.ts'
import { liftLimits, refuseHiddenRows } from '../long-work.ts'
import { kinds } from './kinds.ts'

export type ExportedRow = Readonly<Record<string, unknown>>

/** Rows that are held in memory at once. */
const pageSize = 2000

/** A transaction that sees the database as it is now, for as long as it takes. */
export const inSnapshot = <T>(sql: Driver, work: (tx: Driver) => Promise<T>): Promise<T> =>
  sql.begin('isolation level repeatable read read only', async (tx) => {
    await liftLimits(tx)
    await refuseHiddenRows(tx)
    return work(tx as unknown as Driver)
  }) as Promise<T>

/** The rows of one type by page, in the order of their ids. JSON stays text, so that its numbers and keys stay. */
export async function* exportRows(
  tx: Driver,
  type: RecordType,
  condition = 'true',
): AsyncGenerator<readonly ExportedRow[]> {
  const { table, columns, exported = 'true' } = kinds[type]
  const selected = Object.entries(columns).map(([field, [name, sqlType]]) => `${valueOf(name, sqlType)} as "${field}"`)
  const joins = type === 'member' ? [joinedTeams] : []
  await tx.unsafe(`
    declare exported no scroll cursor for
    select ${[...selected, ...joins].join(', ')} from ${table} t
    where ${exported} and ${condition} order by t.id collate "C"
  `)
  for (;;) {
    const rows = await tx.unsafe<ExportedRow[]>(`fetch ${pageSize} from exported`)
    if (rows.length > 0) yield rows
    if (rows.length < pageSize) break
  }
  await tx.unsafe('close exported')
}

const valueOf = (name: string, type: string): string => {
  if (type.startsWith('json')) return `t."${name}"::text`
  return type === 'timestamptz' ? isoText(`t."${name}"`) : `t."${name}"`
}

const isoText = (moment: string): string => `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const joinedTeams = `
  (select coalesce(json_agg(json_build_object('id', j.team_id, 'createdAt', ${isoText('j.created_at')})
     order by array_position(t.team_ids, j.team_id)), '[]')
   from team_members j where j.organization_id = t.organization_id and j.user_id = t.user_id) as teams
`
