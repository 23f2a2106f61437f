import { connectForMigration, type Driver } from '../connect.ts'
import { explainNoTls } from '../explain-no-tls.ts'
import { liftLimits } from '../long-work.ts'
import { type Changed, isWrittenSince } from './marks.ts'

export interface ForeignTable {
  readonly schema: string
  readonly name: string
  /** False for a view, whose rows do not tell when they were written. */
  readonly isStored: boolean
  readonly columns: readonly { readonly name: string; readonly type: string }[]
}

/** The tables of a schema with their columns. */
export async function listForeignTables(sql: Driver, schema: string): Promise<readonly ForeignTable[]> {
  const rows = await sql.unsafe<{ table: string; isStored: boolean; column: string; type: string }[]>(
    `select table_name as table, table_type = 'BASE TABLE' as "isStored", column_name as column, data_type as type
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = $1 order by table_name, ordinal_position`,
    [schema],
  )
  const stored = new Map(rows.map(({ table, isStored }) => [table, isStored]))
  return [...stored].map(([name, isStored]) => ({
    schema,
    name,
    isStored,
    columns: rows.filter(({ table }) => table === name).map(({ column, type }) => ({ name: column, type })),
  }))
}

const pageSize = 2000

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
const nameOf = ({ schema, name }: ForeignTable): string => `${quoted(schema)}.${quoted(name)}`

/** How a field is read, by the type of its column. Moments without a time zone are taken as UTC. */
function readAs(name: string, type: string): string {
  const column = `t.${quoted(name)}`
  if (type === 'timestamp with time zone') return moment(`${column} at time zone 'UTC'`)
  return type.startsWith('timestamp') ? moment(column) : type === 'boolean' ? column : `${column}::text`
}

const moment = (expression: string): string => `to_char(${expression}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export interface ForeignQuery {
  readonly table: ForeignTable
  /** Column by field. */
  readonly columns: Readonly<Record<string, string>>
  /** Only these rows. Null: all of them. */
  readonly changed?: Changed | null
  /** Where to find whom a row belongs to, by the field that names them: it also counts as changed where they are. */
  readonly owner?: { readonly field: string; readonly place: Pick<ForeignQuery, 'table' | 'columns'> } | undefined
  /** The field of a moment: the rows with the latest come first. */
  readonly latestBy?: string | undefined
}

type ForeignRow = Readonly<Record<string, unknown>>

/** Reads a table in the order of its ids, in the snapshot of the transaction. */
export async function* readForeign(tx: Driver, query: ForeignQuery): AsyncGenerator<ForeignRow> {
  const { table, columns, changed, latestBy } = query
  const types = new Map(table.columns.map(({ name, type }) => [name, type]))
  const fields = Object.entries(columns).map(
    ([field, name]) => `${readAs(name, types.get(name) ?? 'text')} as "${field}"`,
  )
  const id = idOf(columns)
  const rows = changed && table.isStored ? await rowsOf(tx, query, changed) : ''
  const latest = latestBy === undefined ? '' : `t.${quoted(columns[latestBy] ?? latestBy)} desc,`
  await tx.unsafe(`
    declare moving no scroll cursor for select ${fields.join(', ')} from ${nameOf(table)} t
    ${rows} order by ${latest} ${id} collate "C"
  `)
  for (;;) {
    const page = await tx.unsafe<ForeignRow[]>(`fetch ${pageSize} from moving`)
    yield* page
    if (page.length < pageSize) break
  }
  await tx.unsafe('close moving')
}

const idOf = ({ id = 'id' }: ForeignQuery['columns']): string => `t.${quoted(id)}::text`

/** A cursor takes no parameters, so the ids come by a setting of the transaction. */
async function rowsOf(tx: Driver, { columns, owner }: ForeignQuery, { transaction, ids }: Changed): Promise<string> {
  await tx.unsafe(`select set_config('moving.ids', $1, true)`, [JSON.stringify(ids)])
  const again = `in (select json_array_elements_text(current_setting('moving.ids')::json))`
  const isChanged = (id: string) => `(${isWrittenSince(transaction)} or ${id} ${again})`
  const own = `where ${isChanged(idOf(columns))}`
  if (!owner) return own
  const { table, columns: owners } = owner.place
  if (!table.isStored) return ''
  const changed = `select ${idOf(owners)} from ${nameOf(table)} t where ${isChanged(idOf(owners))}`
  return `${own} or t.${quoted(columns[owner.field] ?? owner.field)}::text in (${changed})`
}

/** How many values a column has, in the rows whose column `where` has one of these. */
export async function countForeign(
  tx: Driver,
  table: ForeignTable,
  column: string,
  where?: { readonly column: string; readonly values: readonly string[] },
): Promise<number> {
  const condition = where
    ? `where t.${quoted(where.column)}::text in (select json_array_elements_text($1::text::json))`
    : ''
  const [row] = await tx.unsafe<{ count: number }[]>(
    `select count(distinct t.${quoted(column)})::integer as count from ${nameOf(table)} t ${condition}`,
    where ? [JSON.stringify(where.values)] : [],
  )
  return row?.count ?? 0
}

/** What a column says when it is true, whatever its type is. */
export const trueTexts = ['true', 't', '1']

/** Those of the ids whose row has the flag. */
export async function findFlagged(
  tx: Driver,
  table: ForeignTable,
  columns: { readonly id: string; readonly flag: string },
  ids: Iterable<unknown>,
): Promise<readonly string[]> {
  const rows = await tx.unsafe<{ id: string }[]>(
    `select t.${quoted(columns.id)}::text as id from ${nameOf(table)} t
     where t.${quoted(columns.id)}::text in (select json_array_elements_text($1::text::json))
       and t.${quoted(columns.flag)}::text in (select json_array_elements_text($2::text::json))`,
    [JSON.stringify([...ids]), JSON.stringify(trueTexts)],
  )
  return rows.map(({ id }) => id)
}

interface Snapshot {
  readonly tx: Driver
  end(): Promise<void>
}

/** Another database as it is at one moment, until `end`. */
export async function openSnapshot(address: string): Promise<Snapshot> {
  const sql = connectForMigration(address)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  try {
    const [tx, work] = await beginUntil(sql, released)
    const end = async () => {
      release()
      await work.catch(() => undefined)
      await sql.end({ timeout: 1 })
    }
    return { tx, end }
  } catch (error) {
    await sql.end({ timeout: 1 })
    throw await explainNoTls(sql, error)
  }
}

/** The transaction, and its end, which nobody has to wait for before. In a list, because it is a promise itself. */
const beginUntil = (sql: Driver, released: Promise<void>): Promise<[Driver, Promise<unknown>]> =>
  new Promise((resolve, reject) => {
    const work: Promise<unknown> = sql.begin('isolation level repeatable read read only', async (tx) => {
      // The driver may call this before it returns.
      await Promise.resolve()
      await liftLimits(tx)
      // Moments that are read as text have one form.
      await tx.unsafe(`set local datestyle = 'ISO'`)
      resolve([tx as unknown as Driver, work])
      await released
    })
    work.catch(reject)
  })
