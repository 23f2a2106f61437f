import type postgres from 'postgres'
import type * as z from 'zod'
import type { ReadSql } from './connect.ts'
import type { Columns } from './row-type.ts'
import { quotedName, ShapeCache } from './statement.ts'

/** Columns with another name than their field: the wire's `role` is a list in the table. */
const renamed: Readonly<Record<string, string>> = { role: 'roles' }

/**
 * The table columns of an entity for `select` and `returning`: exactly those in its schema. `table` is the table's
 * alias in the statement.
 */
export const columnsOf = <Entity extends z.ZodObject>(
  sql: ReadSql,
  entity: Entity,
  table?: string,
): Columns<z.output<Entity>> => sql(columnTexts(entity, table)) as unknown as Columns<z.output<Entity>>

/**
 * The same for a step (common table expression) that selected them with `columnsOf` and so names each after its field.
 */
export const fieldsOf = <Entity extends z.ZodObject>(
  sql: ReadSql,
  entity: Entity,
  step?: string,
): Columns<z.output<Entity>> => sql(fieldTexts(entity, step)) as unknown as Columns<z.output<Entity>>

/** The fields of such a step as names and values for `json_build_object`. Dates become text in JSON. */
export const jsonFieldsOf = (sql: ReadSql, entity: z.ZodObject, step: string): postgres.Fragment =>
  sql(jsonTexts(entity, step))

/** A text, or a part of a statement. */
type Piece = string | postgres.Fragment

/** Fields that the table does not store: each with a column or an expression. A missing field does not compile. */
export function computedColumns<Row extends object>(
  sql: ReadSql,
  fields: { readonly [Field in keyof Row]-?: Piece },
): Columns<Row> {
  let texts = computedTexts
  const fragments: postgres.Fragment[] = []
  for (const [field, made] of Object.entries<Piece>(fields)) {
    texts = texts.step(field).step(typeof made === 'string' ? made : null)
    if (typeof made !== 'string') fragments.push(made)
  }
  const template = texts.made(() => textsOf(Object.entries<Piece>(fields).flatMap(piecesOf)))
  return sql(template, ...fragments) as unknown as Columns<Row>
}

/** By the fields in their order, each with its column, or with null for an expression. */
const computedTexts = new ShapeCache<TemplateStringsArray>()
const piecesOf = ([field, made]: readonly [string, Piece]) => [
  ', ',
  typeof made === 'string' ? quoted(made) : made,
  ` as ${quoted(field)}`,
]

/** Boolean columns of a step, selected under the names of their fields. */
export const flagColumns = <Name extends string>(
  sql: ReadSql,
  step: string,
  ...fields: readonly Name[]
): Columns<Readonly<Record<Name, boolean>>> =>
  listOf(
    sql,
    fields.map((field) => `, ${quoted(field, step)}`),
  )

/** Both lists of columns, one after the other. */
export const combineColumns = <One, Other>(
  sql: ReadSql,
  one: Columns<One>,
  other: Columns<Other>,
): Columns<One & Other> => sql`${one}, ${other}` as unknown as Columns<One & Other>

type Nulls<Row> = { readonly [Field in keyof Row]-?: null }

/** The columns of a row that can be missing, as after a `left join`: all of them are null then. */
export const nullableColumns = <Row>(columns: Columns<Row>): Columns<Row | Nulls<Row>> =>
  columns as Columns<Row | Nulls<Row>>

/** Marks a field of a new row that takes the database's default. */
export const databaseDefault = Symbol('by the database')
/** Marks a field that an update leaves unchanged. */
export const unchanged = Symbol('unchanged')

type Scalar = string | number | boolean | Date | null
/** Plain values become parameters. SQL expressions, and values that need a type, are passed as fragments. */
type ColumnValue<Value> = Extract<Value, Scalar> | postgres.Fragment

type NewRow<Row> = { readonly [Field in keyof Row]-?: ColumnValue<Row[Field]> | typeof databaseDefault }
type Edit<Row> = { readonly [Field in keyof Row]-?: ColumnValue<Row[Field]> | typeof unchanged | undefined }

/**
 * The text after `insert into <table>`: column names and a `select` of their values, to which `from` and `where` can be
 * added. Every field of the entity must be given, or it does not compile. `others`: columns of the table that are not
 * fields of the entity.
 */
export function newRow<Entity extends z.ZodObject>(
  sql: ReadSql,
  entity: Entity,
  fields: NewRow<z.output<Entity>>,
  others: Readonly<Record<string, Scalar | Buffer | postgres.Fragment>> = {},
): postgres.Fragment {
  const said = [...Object.entries(valuesByColumn(entity, fields)), ...Object.entries(others)]
  const given = said.filter(([, value]) => value !== databaseDefault)
  const names = given.map(([name]) => quoted(name)).join(', ')
  const texts = given.map((_, n) => (n === 0 ? `(${names}) select ` : ', '))
  return sql(templateOf([...texts, '']), ...given.map(([, value]) => value as postgres.Fragment))
}

/**
 * The text after `update <table> set`. Every field of the entity must be given here too. An undefined one stays
 * unchanged.
 */
export const updatedColumns = <Entity extends z.ZodObject>(
  sql: ReadSql,
  entity: Entity,
  fields: Edit<z.output<Entity>>,
): postgres.Fragment =>
  listOf(
    sql,
    Object.entries(valuesByColumn(entity, fields)).flatMap(([column, value]) => {
      if (value === unchanged) return []
      const name = quoted(column)
      return value === undefined ? [`, ${name} = ${name}`] : [`, ${name} = `, sql`${value as postgres.Fragment}`]
    }),
  )

/** Keyed by column name, in the schema's order. */
const valuesByColumn = (entity: z.ZodObject, fields: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.keys(entity.shape).map((field) => [renamed[field] ?? field, Reflect.get(fields, field)]))

const quoted = (name: string, table?: string): string => quotedName(table === undefined ? name : `${table}.${name}`)

/**
 * Builds the text of a list once for each schema and table, since the driver would otherwise escape each name in each
 * statement.
 */
function cachedTexts(piece: (field: string, table?: string) => string) {
  const known = new WeakMap<z.ZodObject, Map<string | undefined, TemplateStringsArray>>()
  return (entity: z.ZodObject, table?: string): TemplateStringsArray => {
    const ofTables = known.get(entity) ?? new Map<string | undefined, TemplateStringsArray>()
    const fields = () => Object.keys(entity.shape).map((field) => piece(field, table))
    const texts = ofTables.get(table) ?? templateOf([fields().join(', ')])
    known.set(entity, ofTables.set(table, texts))
    return texts
  }
}

const columnTexts = cachedTexts((field, table) => {
  const column = renamed[field]
  return `${quoted(column ?? field, table)}${column === undefined ? '' : ` as ${quoted(field)}`}`
})
const fieldTexts = cachedTexts((field, step) => quoted(field, step))
const jsonTexts = cachedTexts((field, step) => `'${field}', ${quoted(field, step)}`)

/** Joins texts and fragments, and removes the first comma. */
const listOf = <Row>(sql: ReadSql, pieces: readonly Piece[]): Columns<Row> =>
  sql(textsOf(pieces), ...pieces.filter((piece) => typeof piece !== 'string')) as unknown as Columns<Row>

/** The texts around the fragments. */
function textsOf(pieces: readonly Piece[]): TemplateStringsArray {
  const texts = ['']
  for (const piece of pieces) {
    if (typeof piece === 'string') texts.push(`${texts.pop()}${piece}`)
    else texts.push('')
  }
  const [first = '', ...others] = texts
  return templateOf([first.replace(/^, /, ''), ...others])
}

const templates = new Map<string, TemplateStringsArray>()

/**
 * Returns the same object for the same text, since the driver keeps every template it has seen forever. The text
 * consists of names from our schemas, never of input.
 */
function templateOf(texts: readonly string[]): TemplateStringsArray {
  const key = texts.join('$')
  const known = templates.get(key) ?? Object.assign([...texts], { raw: texts })
  templates.set(key, known)
  return known
}
