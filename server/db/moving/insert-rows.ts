import type postgres from 'postgres'
import { type RecordType, recordTypes } from '../../../shared/moving/records.ts'
import type { Driver } from '../connect.ts'
import { type Kind, kinds } from './kinds.ts'
import {
  comparable,
  dated,
  endText,
  type GivenRow,
  givenRows,
  holdText,
  insertText,
  joinText,
  quoted,
  reasonText,
  textOf,
  updateText,
  valueOf,
} from './row-statements.ts'

export type { GivenRow }

/** A row that was not stored. `PRESENT`: it was before. */
interface UnstoredRow {
  readonly line: number
  readonly id: string
  readonly reason: string
}

export interface Storing {
  /** Changes rows with the same id, as far as the source says something of them. */
  readonly isUpdating: boolean
  /** Whether the same transaction brought the user: nobody else sees them yet. */
  readonly isNewUser?: (id: unknown) => boolean
}

interface Stored {
  readonly stored: number
  /** Ids of those that were not there before. */
  readonly inserted: readonly string[]
  /** Those that were stored without some of what they name. */
  readonly reduced: readonly { readonly line: number; readonly id: string; readonly fields: readonly string[] }[]
  readonly left: readonly UnstoredRow[]
}

type StoredRow = { readonly id: string } & Readonly<Record<string, unknown>>

/**
 * Data that PostgreSQL refuses, a constraint, or a limit of the server: one of the rows is the cause, not the
 * connection.
 */
const isOfRow = (error: unknown): error is { code: string } =>
  /^(2[123]|54|42804|P0001)/.test(String(Object(error).code))

/**
 * Stores the rows of one type, which have different ids. What is in the way of a row is found afterwards. If PostgreSQL
 * refuses a whole statement, its rows are stored in two halves, until the one to blame is alone.
 */
export async function insertRows(
  tx: Driver,
  type: RecordType,
  rows: readonly GivenRow[],
  how: Storing,
): Promise<Stored> {
  try {
    return await inSavepoint(tx, (inner) => insertTogether(inner, type, rows, how))
  } catch (error) {
    if (!isOfRow(error)) throw error
    const [first] = rows
    if (first && rows.length === 1) {
      const left = [await explainAlone(tx, type, first, { ...how, code: error.code })]
      return { stored: 0, inserted: [], reduced: [], left }
    }
    const middle = Math.ceil(rows.length / 2)
    const one = await insertRows(tx, type, rows.slice(0, middle), how)
    const other = await insertRows(tx, type, rows.slice(middle), how)
    return {
      stored: one.stored + other.stored,
      inserted: [...one.inserted, ...other.inserted],
      reduced: [...one.reduced, ...other.reduced],
      left: [...one.left, ...other.left],
    }
  }
}

/** By the driver: a statement that fails otherwise fails its whole transaction, whoever catches the error. */
const inSavepoint = <T>(tx: Driver, work: (inner: Driver) => Promise<T>): Promise<T> =>
  (tx as unknown as postgres.TransactionSql).savepoint((inner) => work(inner as unknown as Driver)) as Promise<T>

async function insertTogether(
  tx: Driver,
  type: RecordType,
  given: readonly GivenRow[],
  { isUpdating, isNewUser = () => false }: Storing,
): Promise<Stored> {
  const kind = kinds[type]
  const isNew = ({ values }: GivenRow) => kind.heldBy?.table === 'users' && isNewUser(values[kind.heldBy.column])
  const rows = given.map((row) => (isNew(row) ? { ...row, values: { ...row.values, owner_is_new: true } } : row))
  const earlier = rows.filter((row) => !isNew(row))
  const hold = holdText(kind, isUpdating)
  if (hold !== null && earlier.length > 0) await tx.unsafe(hold, [textOf(earlier)])
  const end = endText(kind)
  if (end !== null) await tx.unsafe(end, [textOf(rows)])
  const changed = isUpdating ? await tx.unsafe<StoredRow[]>(updateText(kind), [textOf(rows)]) : []
  const known = new Set(changed.map(({ id }) => id))
  const others = rows.filter(({ id }) => !known.has(id))
  const answer = await tx.unsafe<StoredRow[]>(insertText(kind), [textOf(others, false)])
  const stored = new Map([...changed, ...answer].map((row) => [row.id, row]))
  const joins = rows.flatMap((row) => (stored.has(row.id) ? (row.joins ?? []) : []))
  if (joins.length > 0) await tx.unsafe(joinText, [JSON.stringify(joins)])
  const left = rows.filter(({ id }) => !stored.has(id))
  return {
    stored: stored.size,
    inserted: answer.map(({ id }) => id),
    reduced: rows.flatMap((row) => reductionOf(kind, row, stored.get(row.id))),
    left: left.length === 0 ? [] : await reasonsOf(tx, type, left, isUpdating),
  }
}

function reductionOf({ columns, reduced = {} }: Kind, { line, id, given, values }: GivenRow, stored?: StoredRow) {
  const isReduced = (name: string) =>
    Object.hasOwn(reduced, name) &&
    given.includes(name) &&
    JSON.stringify(stored?.[name]) !== JSON.stringify(values[name] ?? null)
  const fields = Object.keys(columns).filter((field) => isReduced(columns[field]?.[0] ?? field))
  return stored && fields.length > 0 ? [{ line, id, fields }] : []
}

interface Refusal extends Storing {
  readonly code: string
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
const reasonsOf = (
  tx: Driver,
  type: RecordType,
  rows: readonly GivenRow[],
  isUpdating = false,
): Promise<readonly UnstoredRow[]> => tx.unsafe<UnstoredRow[]>(reasonText(kinds[type], isUpdating), [textOf(rows)])

/** The same, also where PostgreSQL refuses to look at some of the rows. */
export async function reasonsOfAny(
  tx: Driver,
  type: RecordType,
  rows: readonly GivenRow[],
  isUpdating: boolean,
): Promise<readonly UnstoredRow[]> {
  try {
    return await inSavepoint(tx, (inner) => reasonsOf(inner, type, rows, isUpdating))
  } catch (error) {
    if (!isOfRow(error)) throw error
    if (rows.length === 1) return rows.map(({ line, id }) => ({ line, id, reason: 'REFUSED' }))
    const middle = Math.ceil(rows.length / 2)
    const one = await reasonsOfAny(tx, type, rows.slice(0, middle), isUpdating)
    return [...one, ...(await reasonsOfAny(tx, type, rows.slice(middle), isUpdating))]
  }
}

/** Those of the ids that are stored. */
export async function findIds(tx: Driver, type: RecordType, ids: readonly string[]): Promise<readonly string[]> {
  const text = `select id from ${kinds[type].table} where id in (select json_array_elements_text($1::text::json))`
  return (await tx.unsafe<{ id: string }[]>(text, [JSON.stringify(ids)])).map(({ id }) => id)
}

/** How many rows each table has. */
export async function countRows(tx: Driver): Promise<Record<RecordType, number>> {
  const counts = recordTypes.map((type) => `(select count(*)::int from ${kinds[type].table}) as ${quoted(type)}`)
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
    .filter(([name]) => kind.derived?.columns[name] === undefined && !dated.has(name))
    .map(
      ([name, sqlType]) =>
        `case when '${name}' = any(g.given) and t.${quoted(name)}${comparable(sqlType)} is distinct from (${valueOf(kind, name)})${comparable(sqlType)} then '${name}' end`,
    )
  const answer = await tx.unsafe<{ id: string; different: string }[]>(
    `select g.id, concat_ws(', ', ${checks.join(', ')}) as different
     from ${givenRows(kind)} left join ${kind.table} t on t.id = g.id`,
    [textOf(rows)],
  )
  return answer.flatMap(({ id, different }) => (different === '' ? [] : [`${type} ${id}: ${different}`]))
}
