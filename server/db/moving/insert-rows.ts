import type postgres from 'postgres'
import type { RecordType } from '../../../shared/moving/records.ts'
import type { Driver } from '../connect.ts'
import { type Kind, kinds } from './kinds.ts'

/** A row to be stored: its line in the source, and its values by column. */
export interface GivenRow {
  readonly line: number
  readonly id: string
  readonly values: Readonly<Record<string, unknown>>
  /** The columns that the source says something of. */
  readonly given: readonly string[]
  /** When the member joined each team, where that is known. */
  readonly joins?: readonly { readonly team_id: string; readonly user_id: string; readonly created_at: string }[]
}

/** A row that was not stored. `PRESENT`: it was before. */
interface UnstoredRow {
  readonly line: number
  readonly id: string
  readonly reason: string
}

interface Stored {
  readonly stored: number
  readonly left: readonly UnstoredRow[]
}

/**
 * Data that PostgreSQL refuses, a constraint, or a limit of the server: one of the rows is the cause, not the
 * connection.
 */
const isOfRow = (error: unknown): error is { code: string } =>
  /^(2[123]|54|42804|P0001)/.test(String(Object(error).code))

/**
 * Stores the rows of one type, which have different ids. What is in the way of a row is found afterwards. If PostgreSQL
 * refuses a whole statement, its rows are stored in two halves, until the one to blame is alone.
 *
 * @param isUpdating changes rows with the same id, as far as the source says something of them.
 */
export async function insertRows(
  tx: Driver,
  type: RecordType,
  rows: readonly GivenRow[],
  isUpdating: boolean,
): Promise<Stored> {
  try {
    return await inSavepoint(tx, (inner) => insertTogether(inner, type, rows, isUpdating))
  } catch (error) {
    if (!isOfRow(error)) throw error
    const [first] = rows
    if (first && rows.length === 1)
      return { stored: 0, left: [await explainAlone(tx, type, first, { code: error.code, isUpdating })] }
    const middle = Math.ceil(rows.length / 2)
    const one = await insertRows(tx, type, rows.slice(0, middle), isUpdating)
    const other = await insertRows(tx, type, rows.slice(middle), isUpdating)
    return { stored: one.stored + other.stored, left: [...one.left, ...other.left] }
  }
}

/** By the driver: a statement that fails otherwise fails its whole transaction, whoever catches the error. */
const inSavepoint = <T>(tx: Driver, work: (inner: Driver) => Promise<T>): Promise<T> =>
  (tx as unknown as postgres.TransactionSql).savepoint((inner) => work(inner as unknown as Driver)) as Promise<T>

async function insertTogether(
  tx: Driver,
  type: RecordType,
  rows: readonly GivenRow[],
  isUpdating: boolean,
): Promise<Stored> {
  const kind = kinds[type]
  const changed = isUpdating ? await tx.unsafe<{ id: string }[]>(updateText(kind), [textOf(rows)]) : []
  const known = new Set(changed.map(({ id }) => id))
  const others = rows.filter(({ id }) => !known.has(id))
  const answer = await tx.unsafe<{ id: string }[]>(insertText(kind), [textOf(others, false)])
  const stored = new Set([...changed, ...answer].map(({ id }) => id))
  const joins = rows.flatMap((row) => (stored.has(row.id) ? (row.joins ?? []) : []))
  if (joins.length > 0) await tx.unsafe(joinText, [JSON.stringify(joins)])
  const left = rows.filter(({ id }) => !stored.has(id))
  return { stored: stored.size, left: left.length === 0 ? [] : await reasonsOf(tx, type, left, isUpdating) }
}

interface Refusal {
  readonly code: string
  readonly isUpdating: boolean
}

async function explainAlone(
  tx: Driver,
  type: RecordType,
  row: GivenRow,
  { code, isUpdating }: Refusal,
): Promise<UnstoredRow> {
  const unknown = { line: row.line, id: row.id, reason: `REFUSED ${code}` }
  try {
    const [known] = await inSavepoint(tx, (inner) => reasonsOf(inner, type, [row], isUpdating))
    return known && known.reason !== 'PRESENT' && known.reason !== 'REFUSED' ? known : unknown
  } catch (error) {
    if (!isOfRow(error)) throw error
    return unknown
  }
}

/** Why these rows are not stored, or would not be. */
export const reasonsOf = (
  tx: Driver,
  type: RecordType,
  rows: readonly GivenRow[],
  isUpdating = false,
): Promise<readonly UnstoredRow[]> => tx.unsafe<UnstoredRow[]>(reasonText(kinds[type], isUpdating), [textOf(rows)])

/** Those of the ids that are stored. */
export async function findIds(tx: Driver, type: RecordType, ids: readonly string[]): Promise<readonly string[]> {
  const text = `select id from ${kinds[type].table} where id in (select json_array_elements_text($1::text::json))`
  return (await tx.unsafe<{ id: string }[]>(text, [JSON.stringify(ids)])).map(({ id }) => id)
}

const textOf = (rows: readonly GivenRow[], namesGiven = true): string =>
  JSON.stringify(rows.map(({ line, given, values }) => ({ line, ...(namesGiven && { given }), ...values })))

const quoted = (name: string): string => `"${name}"`

const named = (condition: string): string => condition.replaceAll('$.', 'g.')

/** Not jsonb, which would order the keys of metadata anew. */
const givenRows = ({ columns }: Kind): string =>
  `json_to_recordset($1::text::json) as g (line integer, given text[], derives boolean, ${Object.values(columns)
    .map(([name, type]) => `${quoted(name)} ${type}`)
    .join(', ')})`

function insertText(kind: Kind): string {
  const names = Object.values(kind.columns).map(([name]) => name)
  const conditions = kind.needs.map(([, condition]) => named(condition))
  return `
    insert into ${kind.table} as t (${names.map(quoted).join(', ')})
    select ${names.map((name) => valueOf(kind, name)).join(', ')} from ${givenRows(kind)}
    where ${['true', ...conditions].join(' and ')}
    order by g.line
    on conflict do nothing
    returning t.id
  `
}

function valueOf({ derived = {} }: Kind, name: string): string {
  const expression = derived[name]
  return expression === undefined
    ? `g.${quoted(name)}`
    : `case when g.derives then ${named(expression)} else g.${quoted(name)} end`
}

function updateText(kind: Kind): string {
  const { table, kept = [], replaceable } = kind
  const set = changeable(kind).map(([name]) => {
    const column = quoted(name)
    return `${column} = case when '${name}' = any(g.given) then ${valueOf(kind, name)} else t.${column} end`
  })
  // One that belongs to somebody else is another row.
  const same = kept.map((name) => `t.${quoted(name)} is not distinct from g.${quoted(name)}`)
  const allowed = [...(replaceable === undefined ? [] : [replaceable]), ...kind.needs.map(([, condition]) => condition)]
  const conditions = ['t.id = g.id', ...same, ...allowed.map(named), `(${isOther(kind)} or ${isRenewed(kind)})`]
  return `
    update ${table} t set ${set.join(', ')} from ${givenRows(kind)} where ${conditions.join(' and ')} returning t.id
  `
}

const changeable = ({ columns, kept = [] }: Kind) =>
  Object.values(columns).filter(([name]) => name !== 'id' && !kept.includes(name))

/** Whether a field is stored that is not as it is given. What is sealed differs each time. */
function isOther(kind: Kind): string {
  const compared = changeable(kind).filter(([name, type]) => type !== 'bytea' && !dated.has(name))
  const checks = compared.map(
    ([name, type]) =>
      `('${name}' = any(g.given) and t.${quoted(name)}${comparable(type)} is distinct from (${valueOf(kind, name)})${comparable(type)})`,
  )
  return `(${['false', ...checks].join(' or ')})`
}

/** Whether it is newer, or cannot be compared. */
function isRenewed(kind: Kind): string {
  const checks = changeable(kind).flatMap(([name, type]) => {
    if (dated.has(name)) return [`('${name}' = any(g.given) and t.${name} is distinct from g.${name}::timestamptz(3))`]
    return type === 'bytea' ? [`'${name}' = any(g.given)`] : []
  })
  return `(${['false', ...checks].join(' or ')})`
}

function reasonText(kind: Kind, isUpdating: boolean): string {
  const [self, ...others] = kind.meets.map(
    ([reason, condition]) => `when exists (select from ${kind.table} t where ${named(condition)}) then '${reason}'`,
  )
  const missing = kind.needs.map(([reason, condition]) => `when not ${named(condition)} then '${reason}'`)
  const whens = [...(isUpdating ? changedHere(kind) : []), self, ...missing, ...others]
  return `
    select g.line, g.id, case ${whens.join(' ')} else 'REFUSED' end as reason
    from ${givenRows(kind)} order by g.line
  `
}

function changedHere(kind: Kind): readonly string[] {
  const { table, meets, replaceable } = kind
  const [[, self] = ['', 'false']] = meets
  if (replaceable === undefined) return []
  const conditions = [named(self), `not ${named(replaceable)}`, isOther(kind)]
  return [`when exists (select from ${table} t where ${conditions.join(' and ')}) then 'CHANGED_HERE'`]
}

const joinText = `
  update team_members m set created_at = j.created_at
  from json_to_recordset($1::text::json) as j (team_id text, user_id text, created_at timestamptz)
  where m.team_id = j.team_id and m.user_id = j.user_id
`

/** How many rows each table has. */
export async function countRows(tx: Driver, types: readonly RecordType[]): Promise<Record<RecordType, number>> {
  const counts = types.map((type) => `(select count(*)::int from ${kinds[type].table}) as ${quoted(type)}`)
  const [row] = await tx.unsafe<Record<RecordType, number>[]>(`select ${counts.join(', ')}`)
  if (!row) throw new Error('The database did not count')
  return row
}

/** The fields of these rows that are not stored as they were given: `row id: column`. */
export async function differencesOf(
  tx: Driver,
  type: RecordType,
  rows: readonly GivenRow[],
): Promise<readonly string[]> {
  const kind = kinds[type]
  const checks = Object.values(kind.columns)
    .filter(([name]) => kind.derived?.[name] === undefined && !dated.has(name))
    .map(
      ([name, sqlType]) =>
        `case when '${name}' = any(g.given) and t.${quoted(name)}${comparable(sqlType)} is distinct from g.${quoted(name)}${comparable(sqlType)} then '${name}' end`,
    )
  const answer = await tx.unsafe<{ id: string; different: string }[]>(
    `select g.id, concat_ws(', ', ${checks.join(', ')}) as different
     from ${givenRows(kind)} left join ${kind.table} t on t.id = g.id`,
    [textOf(rows)],
  )
  return answer.flatMap(({ id, different }) => (different === '' ? [] : [`${type} ${id}: ${different}`]))
}

const comparable = (type: string): string =>
  type.startsWith('json') ? '::text' : type === 'timestamptz' ? '::timestamptz(3)' : ''
/** A trigger of another row may have changed them in the same transaction. */
const dated: ReadonlySet<string> = new Set(['updated_at'])
